from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.wire import load_rules, neutral, wire
from novacore.engine.normalise import isolate, normalise, portable_name, result_text
from novacore.types import Image, Message, Reasoning, Text, ToolResult, ToolUse

ids = st.sampled_from(["a", "b", "c", "a_2", "", "\ud800"])
words = st.sampled_from(["hello", "", "  ", "x\ud83dy", "\u2028"]) | st.text(max_size=5)
images = st.builds(
    Image,
    media_type=st.sampled_from(["image/png", "image/tiff"]),
    data=st.sampled_from(["", "aGk="]),
    width=st.sampled_from([0, 10, 7_400]),
    height=st.sampled_from([0, 10]),
)
thoughts = st.sampled_from(
    [
        Reasoning(data={"type": "thinking", "thinking": "t", "signature": "s"}),
        Reasoning(data={"type": "thinking", "thinking": "t", "signature": ""}),
        Reasoning(data={"type": "redacted_thinking", "data": "\udcff"}),
    ]
)
blocks = st.one_of(
    st.builds(Text, text=words),
    images,
    st.builds(
        ToolUse,
        id=ids,
        name=st.sampled_from(["read", "a.b", "n" * 70, ""]),
        input=st.dictionaries(words, words, max_size=1),
    ),
    st.builds(
        ToolResult, tool_use_id=ids, text=words, images=st.lists(images, max_size=1).map(tuple)
    ),
    thoughts,
)
messages = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["user", "assistant"]),
        blocks=st.lists(blocks, max_size=5).map(tuple),
    ),
    max_size=7,
)


@pytest.fixture(scope="module")
def check(shared):
    return load_rules(shared)


@given(made=messages, keep=st.booleans())
def test_any_list_becomes_valid_and_stays_as_it_is(check, made, keep):
    sent, _ = normalise(made, keep_reasoning=lambda block: keep)
    assert check(wire(sent)) == []
    assert sent[-1].role == "user"
    again, repairs = normalise(sent, keep_reasoning=lambda block: keep)
    assert (again, repairs) == (sent, ())


def user(*blocks):
    return Message(role="user", blocks=blocks)


def answer(*blocks):
    return Message(role="assistant", blocks=blocks)


def use(id, name="read"):
    return ToolUse(id=id, name=name)


def result(id, text="ok", **more):
    return ToolResult(tool_use_id=id, text=text, **more)


@given(batches=st.lists(st.integers(1, 3), min_size=1, max_size=4), data=st.data())
def test_every_real_result_reaches_its_call(batches, data):
    """Results may come in any order, apart from their batch, with other messages between."""
    made, waiting, calls = [user(Text(text="go"))], [], []
    for n, size in enumerate(batches):
        batch = [f"c{n}_{k}" for k in range(size)]
        calls += batch
        made.append(answer(*map(use, batch)))
        waiting = data.draw(st.permutations([*waiting, *batch]))
        now = data.draw(st.integers(0, len(waiting)))
        made += [user(Text(text="note")), user(*(result(id, f"of {id}") for id in waiting[:now]))]
        waiting = waiting[now:]
    made += [user(result(id, f"of {id}")) for id in waiting]
    sent, _ = normalise(made)
    answered = {b.tool_use_id: b.text for m in sent for b in m.blocks if isinstance(b, ToolResult)}
    assert answered == {id: f"of {id}" for id in calls}


def test_a_valid_list_comes_back_as_it_was():
    signed = Reasoning(data={"type": "thinking", "thinking": "t", "signature": "s"})
    image = Image(media_type="image/png", data="aGk=", width=10, height=10)
    valid = (
        user(Text(text="go"), image),
        answer(signed, Text(text="on it"), use("a"), use("b")),
        user(result("a", ""), result("b", "x", images=(image,)), Text(text="and more")),
        answer(Text(text="done")),
        user(Text(text="thanks")),
    )
    assert normalise(valid, keep_reasoning=lambda block: True) == (valid, ())


def test_results_stand_first_and_in_the_order_of_their_calls():
    made = (
        user(Text(text="go")),
        answer(use("a"), use("b")),
        user(Text(text="steer"), result("b", "B"), result("a", "A")),
    )
    sent, _ = normalise(made)
    assert sent[2].blocks == (result("a", "A"), result("b", "B"), Text(text="steer"))


def test_a_late_result_goes_to_its_call_and_nothing_is_made_up():
    made = (
        user(Text(text="x")),
        answer(use("r1")),
        user(Text(text="old summary")),
        user(result("r1", "real output 77")),
        answer(Text(text="ok")),
        user(Text(text="more")),
    )
    sent, repairs = normalise(made)
    assert sent[2].blocks == (result("r1", "real output 77"), Text(text="old summary"))
    assert not any("one was made" in line for line in repairs)


def test_a_result_far_behind_is_moved_and_empty_messages_vanish():
    made = (
        user(Text(text="x")),
        answer(use("a")),
        user(Text(text="note")),
        answer(Text(text="waiting")),
        user(result("a", "late")),
        answer(Text(text="done")),
        user(Text(text="go")),
    )
    sent, repairs = normalise(made)
    assert sent[2].blocks == (result("a", "late"), Text(text="note"))
    assert sent[3].blocks == (Text(text="waiting"), Text(text="done"))
    assert any("moved to its call" in line for line in repairs)


def test_a_repeated_id_is_renamed_with_its_result():
    made = (
        user(Text(text="x")),
        answer(use("a")),
        user(result("a", "first")),
        answer(use("a")),
        user(result("a", "second")),
    )
    sent, _ = normalise(made)
    assert sent[3].blocks == (use("a_2"),)
    assert sent[4].blocks == (result("a_2", "second"),)


def test_a_missing_result_is_made_with_the_true_reason():
    made = (user(Text(text="x")), answer(use("a"), use("b"), use("c")), user(result("a")))
    sent, _ = normalise(made, reasons={"b": "sibling_failed", "c": "the disk was full"})
    made_up = sent[2].blocks[1:]
    assert made_up[0] == result("b", result_text("sibling_failed"), is_error=True)
    assert "the disk was full" in made_up[1].text
    assert "Outcome unknown" in made_up[1].text


def test_images_over_the_limits_become_words(shared):
    tall = Image(media_type="image/png", data="aGk=", width=900, height=7_400)
    made = (user(Text(text="look"), tall), answer(use("a")), user(result("a", images=(tall,))))
    sent, repairs = normalise(made)
    assert (
        sent[0].blocks[1].text == "[image 900x7400 image/png left out: a side is over 2,000 pixels]"
    )
    assert sent[2].blocks[0].images == ()
    assert "900x7400" in sent[2].blocks[0].text
    assert len(repairs) == 2


def test_a_foreign_history_is_made_sendable(check, shared):
    import json

    case = json.loads(
        shared("cases", "agent", "P15_provider_switch_empty_blocks", "input.json").read_text()
    )
    made = [Message(role=r, blocks=b) for r, b in map(neutral, case["messages"])]
    sent, _ = normalise(made)
    request = wire(sent, ["bash", "read"])
    assert check(request, allow_thinking_from="prov-b") == []
    texts = [b.text for m in sent for b in m.blocks if isinstance(b, Text)]
    assert {"Total 812.", "and?", "thanks"} <= set(texts)
    assert not any(isinstance(b, Reasoning) for m in sent for b in m.blocks)


@pytest.mark.parametrize("name", ["read", "mcp__server__tool-1"])
def test_portable_names_stay(name):
    assert portable_name(name) == name


def test_other_names_become_portable_and_stay_distinct():
    names = [portable_name(n) for n in ("a.b", "a:b", "工具", "x" * 100, "x" * 101, "")]
    assert len(set(names)) == len(names)
    assert all(portable_name(n) == n for n in names)


def test_isolation_replaces_the_likeliest_block_once():
    image = Image(media_type="image/png", data="aGk=")
    made = (user(Text(text="look"), image), answer(use("a")), user(result("a", "data")))
    first = isolate(made, 0, "Could not process image")
    assert first[0].blocks[0] == Text(text="look")
    assert "Could not process image" in first[0].blocks[1].text
    assert first[1:] == made[1:]
    second = isolate(made, 2, "bad block")
    assert second[2].blocks[0].tool_use_id == "a"
    assert "bad block" in second[2].blocks[0].text
    assert isolate(second, 2, "bad block") is None
    assert isolate(made, 9, "no such message") is None


@given(made=messages, index=st.integers(0, 6), named=st.none() | st.integers(0, 5))
def test_isolation_never_gives_the_same_bytes_and_ends(check, made, index, named):
    sent, _ = normalise(made)
    rounds = 0
    while (fewer := isolate(sent, index, "refused", block=named)) is not None:
        assert fewer != sent
        assert check(wire(normalise(fewer)[0])) == []
        sent = fewer
        rounds += 1
        assert rounds <= 60


@given(made=messages, known=st.integers(0, 6))
def test_what_was_found_sound_before_changes_no_request(made, known):
    sound = {}
    normalise(made[:known], sound=sound)
    sent = normalise(made, sound=sound)
    assert sent == normalise(made)
