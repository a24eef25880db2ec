"""The manifest: a row for each fragment, sums by region, and what is kept of each block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.events_kit import Log, call, text
from engine.requests_kit import TOOL, a_session, view_of
from novacore.engine.manifest import (
    definition_snapshots,
    definitions,
    fragment_rows,
    left_out_rows,
    positions_of,
    preview_of,
    regions,
    snapshot,
)
from novacore.engine.system import SYSTEM_TEXT
from novacore.engine.view import messages_of
from novacore.types import LeftOut, Region, Source

COSTS = {"read": 7, "system": 11}


def whole(events):
    """The rows of a manifest, tools and system text first."""
    rows = view_of(events).rows
    return fragment_rows(definitions([TOOL], COSTS), rows, positions_of(rows))


def test_the_fragments_stand_in_the_order_of_the_request():
    found = whole(a_session(1).events)
    assert [row["region"] for row in found] == [
        "tools", "system", "baseline", "history", "history", "history", "evidence"
    ]  # fmt: skip
    assert [row["position"] for row in found] == [
        {"part": "tools"},
        {"part": "system"},
        {"part": "messages", "message": 0, "block": 0},
        {"part": "messages", "message": 0, "block": 1},
        {"part": "messages", "message": 1, "block": 0},
        {"part": "messages", "message": 1, "block": 1},
        {"part": "messages", "message": 2, "block": 0},
    ]


def test_each_says_where_it_comes_from_and_why_it_is_there():
    for row in whole(a_session(2).events):
        assert row["source"]["uri"]
        assert row["reason"]
        assert row["preview"]


def test_what_stands_before_the_messages_costs_what_it_was_counted_at():
    tool, system = whole([])
    assert (tool["id"], tool["tokens"]) == ("tool:read", 7)
    assert (system["id"], system["tokens"]) == ("system", 11)


@given(st.lists(st.sampled_from(["user", "notice", "answer", "call"]), max_size=12))
def test_sums_by_region_are_the_sum_and_places_are_those_of_the_messages(kinds):
    log = Log()
    for number, kind in enumerate(kinds):
        match kind:
            case "user":
                log.user(f"words {number}")
            case "notice":
                log.add("update", scope="notice", text=f"notice {number}")
            case "answer":
                log.assistant(text(f"answer {number}"))
            case "call":
                log.assistant(call(f"c{number}"))
                log.result(f"c{number}", f"result {number}")
    found, rows = whole(log.events), view_of(log.events).rows
    assert sum(row["tokens"] for row in regions(found)) == sum(row["tokens"] for row in found)
    order = [region.value for region in Region]
    summed = [row["region"] for row in regions(found)]
    assert summed == sorted(summed, key=order.index)
    messages = messages_of(rows)
    for row, (message, block) in zip(rows, positions_of(rows).values(), strict=True):
        assert messages[message].blocks[block] == row.block


def test_what_is_kept_is_enough_to_show_a_block_again():
    log = Log()
    log.assistant(text("I look."), call("c1", "read", path="a.py"))
    log.result("c1", "its words", is_error=True)
    words, use, result = (snapshot(row) for row in view_of(log.events).rows)
    assert words == {"text": "I look."}
    assert use["tool_use"] == {"id": "c1", "name": "read", "input": {"path": "a.py"}}
    assert result == {"text": "its words", "tool_result": {"id": "c1", "is_error": True}}
    tool, system = definition_snapshots([TOOL])
    assert tool == {"text": "read: Reads.", "schema": TOOL.schema}
    assert system == {"text": SYSTEM_TEXT}


def test_what_was_left_out_is_named_with_its_reason():
    left = LeftOut(id="memory:7", reason="budget", tokens=400, source=Source(uri="memory:7"))
    (row,) = left_out_rows([left])
    assert row["reason"] == "budget"
    assert row["tokens"] == 400
    assert row["source"]["uri"] == "memory:7"


def test_an_answer_names_its_call_and_a_call_is_one_line():
    log = Log()
    log.assistant(call("c1", "search", pattern="a\nb", limit=3), call("c2", "read", path="x" * 500))
    log.result("c1", "one line")
    log.result("c2", "another")
    first, second, one, two = fragment_rows([], view_of(log.events).rows, {})
    assert first["preview"] == one["call"] == "search pattern=a b, limit=3"
    assert second["preview"] == two["call"]
    assert "call" not in first
    assert len(second["preview"]) <= 120


def test_a_preview_begins_with_the_words_and_not_with_their_frame():
    shown = {
        "plain words": "plain words",
        '<memory mark="15200bba7a">\n[mem:a/b] event:e 2026\nWhat was said.\n</memory mark="1">': (
            "What was said."
        ),
        "<restatement>\nGoal: this.\n</restatement>": "Goal: this.",
        "<html>\n<b>a page</b>": "<html> <b>a page</b>",
    }
    assert {text: preview_of(text) for text in shown} == shown
    assert preview_of("long " * 100).endswith("…")
    assert len(preview_of("long " * 100)) == 120
