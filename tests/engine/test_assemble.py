"""Assembly: rows become one request that holds all of them, in order, and only grows."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from engine.requests_kit import TOOL, a_session, view_of
from engine.wire import load_rules, wire
from novacore.engine.assemble import assemble, seed_of
from novacore.engine.manifest import changed_section
from novacore.engine.marks import SYSTEM_MARK
from novacore.engine.system import SYSTEM_TEXT
from novacore.engine.view import prefix_of
from novacore.models.anthropic_wire import body
from novacore.types import Mark, Text, ToolResult, ToolSpec


def request_of(rows, previous=None, **changes):
    given = {"model": "m", "tools": [TOOL], "max_tokens": 100, "reasons": {}}
    return assemble(rows, previous_mark=previous, **{**given, **changes})


def test_tools_then_system_then_head_then_history():
    made = request_of(view_of(a_session(1).events).rows)
    request = made.request
    assert request.tools == (TOOL,)
    assert request.system == (Text(text=SYSTEM_TEXT),)
    first, answer, result = request.messages
    assert first.blocks == (Text(text="<env/>"), Text(text="What is in it?"))
    assert answer.role == "assistant"
    assert result.blocks == (ToolResult(tool_use_id="c0", text="content 0"),)
    assert made.repairs == ()


def test_marks_stand_after_system_head_the_last_newest_and_the_newest_block():
    events = a_session(2).events
    before = request_of(view_of(events[:-2]).rows)
    made = request_of(view_of(events).rows, before.newest_mark)
    assert made.request.marks == (
        SYSTEM_MARK,
        Mark(message=0, block=0),
        Mark(message=2, block=0),
        Mark(message=4, block=0),
    )


def test_the_system_text_names_no_project_no_path_and_no_date():
    assert not re.search(r"\b20\d\d\b|(?:^|\s)[~/]\w", SYSTEM_TEXT)


@given(st.integers(0, 6), st.integers(0, 6))
def test_a_longer_session_begins_with_the_bytes_of_the_shorter_one(steps, more):
    events = a_session(steps + more).events
    short, long = view_of(events[: 2 + 2 * steps]), view_of(events)
    before, after = request_of(short.rows), request_of(long.rows)
    assert changed_section(before, after) is None
    # The last message may gain blocks, so what is compared are the blocks.
    old, new = (_flat(made.request) for made in (before, after))
    assert new[: len(old)] == old


def _flat(request):
    sent = body(request)
    found = [("tool", tool) for tool in sent["tools"]]
    found += [("system", block) for block in sent["system"]]
    found += [(m["role"], block) for m in sent["messages"] for block in m["content"]]
    return [(role, json.dumps(_unmarked(block))) for role, block in found]


def _unmarked(block):
    return {key: value for key, value in block.items() if key != "cache_control"}


def test_an_open_call_is_closed_in_the_request_with_the_true_reason(shared):
    events = a_session(1).events[:-1]
    made = request_of(view_of(events).rows, reasons={"c0": "the user stopped it"})
    (result,) = made.request.messages[-1].blocks
    assert "the user stopped it" in result.text
    assert made.repairs
    assert load_rules(shared)(wire(made.request.messages, ["read"])) == []


def test_what_changed_first_is_named():
    rows = view_of(a_session(2).events).rows
    before = request_of(rows)
    assert changed_section(None, before) is None
    assert changed_section(before, request_of(rows, model="n")) == "model"
    assert changed_section(before, request_of(rows, tools=[])) == "tools"
    shorter = changed_section(before, request_of(rows[:-1]))
    assert shorter == f"evidence: {rows[-1].fragment.id}"


def test_the_seed_is_of_all_that_stands_before_the_messages():
    other = ToolSpec(name="read", description="Reads it.", schema=TOOL.schema)
    seeds = [seed_of("m", [TOOL]), seed_of("n", [TOOL]), seed_of("m", []), seed_of("m", [other])]
    assert len(set(seeds)) == 4
    assert seed_of("m", [TOOL]) == seeds[0]


@given(st.integers(0, 5))
def test_the_prefix_of_some_rows_is_what_the_view_said_when_it_held_just_these(steps):
    events = a_session(5).events
    whole, part = view_of(events), view_of(events[: 2 + 2 * steps])
    assert prefix_of("", whole.rows[: len(part.rows)]) == part.prefix
