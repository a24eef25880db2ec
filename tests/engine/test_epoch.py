"""The head of an epoch: the same rows from the same boundary event, for ever."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events_kit import Log
from novacore.engine.boundary import Boundary, Place, boundary_to_json
from novacore.engine.epoch import head_rows
from novacore.engine.state import fold_all
from novacore.tokens import estimate
from novacore.types import (
    EventRange,
    KeepEvent,
    KeepLines,
    LineRange,
    Passage,
    Region,
    Trust,
)

BASELINE = {
    "parts": [
        {"id": "environment", "kind": "environment", "text": "<environment/>", "version": "v1"},
        {
            "id": "rules",
            "kind": "instructions",
            "text": "<instructions>Use tabs.</instructions>",
            "uri": "file:AGENTS.md",
            "version": "v2",
        },
    ],
    "sections": {},
}


def compacted(recovery="<recovery>\na.py\n</recovery>", said="Never push to main."):
    """A log whose last event is a compaction."""
    log = Log()
    asked = log.user(said)
    answer = log.assistant({"type": "text", "text": "I found the cause."})
    result = log.result("call-1", "one\ntwo\nthree")
    newest = log.user("Go on.")
    boundary = Boundary(
        id="boundary-1",
        source=EventRange(first=asked.id, last=result.id),
        upto=newest.id,
        tail_start=Place(event=newest.id, offset=90),
        kept_users=(Place(event=asked.id, offset=0),),
        state=fold_all(log.events),
        passages=(Passage(text="It was done.", covers=EventRange(first=asked.id, last=result.id)),),
        keep=(
            KeepEvent(event=answer.id),
            KeepLines(output_id="call-1", lines=LineRange(start_line=2, end_line=3)),
        ),
        tokens_before=900,
        tokens_after=100,
        trigger="soft",
        plugin="compact_state",
    )
    log.add(
        "compaction",
        boundary=boundary_to_json(boundary),
        baseline=BASELINE,
        recovery=recovery,
    )
    return log


def rows(log, output_lines=None):
    by_id = {event.id: event for event in log.events}
    event = log.events[-1]
    return list(head_rows(event, by_id.__getitem__, estimate, output_lines=output_lines))


def lines_of(output, start, end):
    assert output == "call-1"
    return "\n".join(["one", "two", "three"][start - 1 : end])


def test_baseline_then_summary_then_the_users_words_then_evidence_then_files():
    found = rows(compacted(), lines_of)
    shown = [row.block.text for row in found]
    assert shown[:2] == ["<environment/>", "<instructions>Use tabs.</instructions>"]
    assert shown[2].startswith('<derived-context boundary="boundary-1"')
    assert shown[3] == "Never push to main."
    assert "I found the cause." in shown[4]
    assert shown[5] == '<kept output="call-1" lines="2-3">\ntwo\nthree\n</kept>'
    assert shown[6] == "<recovery>\na.py\n</recovery>"
    assert len(shown) == 7


def test_all_of_it_is_the_head_and_the_users():
    for row in rows(compacted(), lines_of):
        assert row.head
        assert row.role == "user"


def test_every_row_has_an_id_of_its_own_and_its_tokens():
    found = rows(compacted(), lines_of)
    assert len({row.fragment.id for row in found}) == len(found)
    assert all(row.fragment.tokens == estimate(row.block.text) + 4 for row in found)


def test_only_the_users_own_words_speak_for_the_user():
    labels = {row.block.text[:16]: row.fragment for row in rows(compacted(), lines_of)}
    summary = labels["<derived-context"]
    assert summary.trust is not Trust.USER
    assert summary.region is Region.SUMMARY
    assert labels["Never push to ma"].trust is Trust.USER
    assert labels["<recovery>\na.py\n"].trust is Trust.TOOL


def test_without_files_in_use_there_is_no_attachment():
    assert len(rows(compacted(recovery=""), lines_of)) == 6


def test_lines_that_cannot_be_read_are_named_and_not_invented():
    (kept,) = [r.block.text for r in rows(compacted()) if r.block.text.startswith("<kept output")]
    assert "two" not in kept
    assert "artifact" in kept


def test_a_lost_event_is_an_error_and_no_gap():
    log = compacted()
    with pytest.raises(KeyError):
        list(head_rows(log.events[-1], {}.__getitem__, estimate))


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), min_size=1).filter(str.strip))
def test_a_record_that_went_through_the_log_gives_the_same_bytes(said):
    log = compacted(said=said)
    before = [row.block for row in rows(log, lines_of)]
    data = json.loads(json.dumps(dict(log.events[-1].data)))
    again = Log()
    again.events = [*log.events[:-1]]
    again.add("compaction", **data)
    assert [row.block for row in rows(again, lines_of)] == before
    assert said in [block.text for block in before]
