"""Requests on the wire: one form for equal requests, marks only where they may stand."""

from __future__ import annotations

import copy
import json

from hypothesis import given
from hypothesis import strategies as st

from novacore.models import anthropic_wire
from novacore.types import (
    Image,
    Mark,
    Message,
    ModelRequest,
    Reasoning,
    Text,
    ToolResult,
    ToolSpec,
    ToolUse,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "edits": {"type": "array", "items": {"properties": {"old": {}, "new": {}}}},
    },
}
EDIT = ToolSpec(name="edit", description="Edit.", schema=SCHEMA)

values = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.integers() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=3), inner, max_size=4
        )
    ),
    max_leaves=10,
)
inputs = st.dictionaries(st.sampled_from(["path", "edits", "old", "new", "x", "a"]), values)


def request(*messages, **more):
    told = tuple(Message(role=role, blocks=tuple(blocks)) for role, blocks in messages)
    fields = {"model": "m", "system": (Text(text="s"),), "tools": (EDIT,), "max_tokens": 9}
    return ModelRequest(messages=told, **{**fields, **more})


def backwards(value):
    """The same JSON value with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(value)}
    return [backwards(item) for item in value] if isinstance(value, list) else value


def wire(asked):
    return json.dumps(anthropic_wire.body(asked))


@given(inputs)
def test_equal_requests_give_equal_bytes_whatever_the_order_of_keys(given_input):
    one = request(("assistant", [ToolUse(id="t", name="edit", input=given_input)]))
    other = request(("assistant", [ToolUse(id="t", name="edit", input=backwards(given_input))]))
    assert one == other
    assert wire(one) == wire(other)


def test_a_calls_keys_stand_in_the_order_of_its_schema():
    use = ToolUse(id="t", name="edit", input={"z": 1, "edits": [{"new": 1, "old": 2}], "path": "p"})
    sent = anthropic_wire.body(request(("assistant", [use])))["messages"][0]["content"][0]["input"]
    assert list(sent) == ["path", "edits", "z"]
    assert list(sent["edits"][0]) == ["old", "new"]


def test_marks_move_to_a_block_that_may_carry_one():
    reasoning = Reasoning(data={"type": "thinking", "thinking": "hm", "signature": "s"})
    asked = request(
        ("user", [Text(text="go")]),
        ("assistant", [Text(text="yes"), reasoning, Text(text=" ")]),
        ("user", [ToolResult(tool_use_id="t", text="")]),
        marks=(Mark(), Mark(message=1, block=2), Mark(message=2, block=0)),
    )
    sent = anthropic_wire.body(asked)
    marked = [
        (i, j)
        for i, message in enumerate(sent["messages"])
        for j, block in enumerate(message["content"])
        if "cache_control" in block
    ]
    assert marked == [(1, 0)]
    assert sent["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_marking_changes_nothing_else_and_touches_nothing_of_the_caller():
    before = copy.deepcopy(SCHEMA)
    messages = ("user", [Text(text="go")]), ("assistant", [Text(text="yes")])
    plain = anthropic_wire.body(request(*messages))
    marked = anthropic_wire.body(request(*messages, marks=(Mark(), Mark(message=1, block=0))))
    assert before == SCHEMA
    del marked["system"][0]["cache_control"], marked["messages"][1]["content"][0]["cache_control"]
    assert marked == plain


def test_results_images_and_errors():
    picture = Image(media_type="image/png", data="aGk=", width=1, height=1)
    gone = Image(media_type="image/png", data="", width=30, height=20)
    results = [
        ToolResult(tool_use_id="a", text="fine"),
        ToolResult(tool_use_id="b", text="no", is_error=True),
        ToolResult(tool_use_id="c", text="", images=(picture, gone)),
    ]
    fine, bad, shown = anthropic_wire.body(request(("user", results)))["messages"][0]["content"]
    assert fine == {"type": "tool_result", "tool_use_id": "a", "content": "fine"}
    assert bad["is_error"] is True
    assert shown["content"][0]["source"] == {
        "type": "base64",
        "media_type": "image/png",
        "data": "aGk=",
    }
    assert shown["content"][1]["text"] == "[image not at hand: image/png, 30 x 20]"


def test_a_request_without_system_or_tools_sends_neither():
    sent = anthropic_wire.body(request(("user", [Text(text="x")]), system=(), tools=()))
    assert set(sent) == {"model", "max_tokens", "messages", "stream"}


@given(st.lists(inputs, min_size=1, max_size=4), st.integers(1, 4), st.booleans())
def test_what_was_made_for_the_request_before_serves_the_next_one(values, known, marked):
    answers = [
        ("assistant", [Text(text="x"), ToolUse(id=f"t{n}", name="edit", input=value)])
        for n, value in enumerate(values)
    ]
    marks = (Mark(), Mark(message=0, block=1)) if marked else ()
    made = {}
    anthropic_wire.body(request(*answers[:known], marks=marks), made)
    whole = request(*answers)
    assert json.dumps(anthropic_wire.body(whole, made)) == wire(whole)
    assert len(made) == 2 * len(answers)
