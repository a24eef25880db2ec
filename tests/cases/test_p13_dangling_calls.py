"""P13: the process died between calls and results (at the normaliser's and state's doors)."""

from __future__ import annotations

import json

import pytest

from engine.events_kit import Log
from engine.wire import load_rules, neutral, wire
from novacore.engine.normalise import dangling, normalise, result_text
from novacore.engine.state import fold_all
from novacore.types import Message, ToolResult


@pytest.fixture
def case(shared):
    folder = shared("cases", "agent", "P13_resume_dangling_calls")
    return json.loads((folder / "input.json").read_text())


@pytest.fixture
def log(case):
    """The log as the crash left it: d1 answered, d2 sent to the network, d3 never started."""
    log = Log()
    question, calls, _ = case["transcript"]
    log.user(question["content"][0]["text"])
    log.assistant(*calls["content"])
    log.add("tool_started", call_id="d1", name="bash", read_only=False, summary="check1")
    log.result("d1", "ok 1", status="ok")
    log.add("tool_started", call_id="d2", name="http_post", read_only=False, summary="charge 12")
    return log


def resumed(case, open_calls):
    """The request after ``continue``, from the case's messages."""
    said = [*case["transcript"], {"role": "user", "content": "continue"}]
    messages = [Message(role=role, blocks=blocks) for role, blocks in map(neutral, said)]
    return normalise(messages, reasons={call.call_id: call.reason for call in open_calls})


def test_f1_one_message_holds_the_results_in_order_then_the_users_text(case, log, shared):
    sent, _ = resumed(case, dangling(log.events))
    assert load_rules(shared)(wire(sent, ["bash", "http_post"])) == []
    *results, text = sent[2].blocks
    assert [result.tool_use_id for result in results] == ["d1", "d2", "d3"]
    assert text.text == "continue"
    assert len(sent) == 3


def test_f2_the_reasons_are_true(case, log):
    sent, repairs = resumed(case, dangling(log.events))
    d1, d2, d3, _ = sent[2].blocks
    assert (d1.text, d1.is_error) == ("ok 1", False)
    for made in (d2, d3):
        assert made.is_error
        assert "interrupted" in made.text
        assert "outcome unknown" in made.text.lower()
        lowered = made.text.lower()
        assert not any(w in lowered for w in ("user cancel", "cancelled by user", "用户取消"))
    assert d2.text != d3.text
    assert len(repairs) == 2


def test_f3_the_side_effect_is_open_and_unknown(log):
    for call in dangling(log.events):
        log.result(call.call_id, call.text, status="interrupted", synthetic=True, is_error=True)
    effects = {e.call_id: e.status for e in fold_all(log.events).side_effects}
    assert effects == {"d1": "committed", "d2": "unknown"}


def test_f4_closing_is_done_once(log):
    found = dangling(log.events)
    assert [(c.call_id, c.reason, c.unknown) for c in found] == [
        ("d2", "interrupted", True),
        ("d3", "not_started", False),
    ]
    for call in found:
        log.result(call.call_id, call.text, status="interrupted", synthetic=True, is_error=True)
    assert dangling(log.events) == ()


def test_f5_reasons_are_distinct_in_words():
    interrupted, sibling, stopped = map(
        result_text, ("interrupted", "sibling_failed", "user_stopped")
    )
    assert "a parallel call failed" in sibling.lower()
    assert "user stopped" in stopped.lower()
    assert "user" not in interrupted.lower()
    assert "user" not in sibling.lower()
    assert len({interrupted, sibling, stopped}) == 3


def test_f6_an_orphan_result_is_dropped_from_the_request_only(case):
    said = [
        *case["transcript"][:1],
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "gone", "content": "x"}],
        },
    ]
    messages = [Message(role=role, blocks=blocks) for role, blocks in map(neutral, said)]
    sent, repairs = normalise(messages)
    assert not any(isinstance(b, ToolResult) for m in sent for b in m.blocks)
    assert len(repairs) == 1
    assert "gone" in repairs[0]
    assert "in the log" in repairs[0]
    assert any(isinstance(b, ToolResult) for b in messages[1].blocks)
