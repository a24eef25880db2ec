"""The baseline: told in full once, later only in differences that say what they replace."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.events_kit import Log
from novacore.engine.baseline import BaselineSection, difference, full_update, told_all


def section(id, words, kind="instructions"):
    return BaselineSection(
        id=id, kind=kind, title=f"rules of {id}", text=words, uri=f"file:{id}", version=f"v-{words}"
    )


def told(*updates):
    log = Log()
    for data in updates:
        log.add("update", **data)
    return told_all(log.events)


def test_nothing_is_said_twice():
    sections = [section("a", "one"), section("b", "two")]
    assert difference(told(full_update(sections)), sections) is None


def test_a_change_says_what_it_replaces_and_tells_only_that():
    before = [section("a", "one"), section("b", "two")]
    data = difference(told(full_update(before)), [section("a", "one"), section("b", "three")])
    (part,) = data["parts"]
    assert "replaces everything said earlier under: rules of b" in part["text"]
    assert "three" in part["text"]
    assert set(data["sections"]) == {"b"}


def test_what_is_gone_is_taken_back_in_words():
    before = [section("a", "one")]
    data = difference(told(full_update(before)), [])
    assert "No longer in force" in data["parts"][0]["text"]
    assert data["sections"] == {"a": None}


def test_a_new_section_is_an_addition():
    data = difference(told(full_update([])), [section("n", "new")])
    assert "in addition" in data["parts"][0]["text"]


def test_a_boundary_forgets_what_it_does_not_tell_again():
    log = Log()
    log.add("update", **full_update([section("a", "one"), section("b", "two")]))
    log.add("compaction", baseline=full_update([section("a", "one")]))
    assert set(told_all(log.events)) == {"a"}


words = st.text(max_size=8)
worlds = st.dictionaries(st.sampled_from("abcd"), words, max_size=4)


@given(st.lists(worlds, min_size=1, max_size=5))
def test_following_the_differences_always_leads_to_the_present(history):
    updates, known = [], {}
    for index, world in enumerate(history):
        sections = [section(id, text) for id, text in sorted(world.items())]
        data = full_update(sections) if index == 0 else difference(known, sections)
        if data is not None:
            updates.append(data)
        known = told(*updates)
        assert {id: k["version"] for id, k in known.items()} == {s.id: s.version for s in sections}
