"""A whole task of thirty steps through the command line, against a fake server over real HTTP."""

from __future__ import annotations

import importlib.util
import json

from service.project_kit import json_lines


def test_it_completes_and_the_bug_is_gone(task):
    assert task["done"].returncode == 0, task["done"].stderr
    assert "* (1 + rate)" in (task["project"] / "calc.py").read_text()
    assert len(task["requests"]) == 30
    last = json_lines(task["done"].stdout)[-1]
    assert last["kind"] == "result"
    assert "Both tests pass" in json.dumps(last)


def results(body):
    """Every tool result of a request: (call id, text)."""
    for message in body["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_result":
                content = block["content"]
                parts = [content] if isinstance(content, str) else [c["text"] for c in content]
                yield block["tool_use_id"], "".join(parts)


def test_the_error_line_is_in_the_stub(task):
    (stub,) = [t for _, t in results(task["requests"][-1].body) if "<persisted-output" in t[:200]]
    assert "ERROR: checksum of block 03100 does not match" in stub
    assert "NOT" in stub[:300]


def test_the_full_text_is_read_back_byte_equal(task):
    (path,) = (task["session"] / "tool-results").iterdir()
    stored = path.read_bytes()
    assert len(stored) >= 300_000
    assert b"ERROR: checksum of block 03100" in stored
    pieces = [text for _, text in results(task["requests"][-1].body) if "artifact:" in text[:9]]
    assert "".join(text.split("\n", 1)[1] for text in pieces).encode() == stored


def test_no_result_of_a_request_is_over_the_limit(task):
    for request in task["requests"]:
        assert all(len(text) <= 50_000 for _, text in results(request.body))


def test_every_request_begins_with_the_one_before(task):
    for before, request in zip(task["requests"], task["requests"][1:], strict=False):
        assert request.appended_only, f"request after {len(before.body['messages'])} messages"
        assert request.rendered().startswith(before.rendered())


def test_the_cache_is_hit_at_every_step(task):
    for before, request in zip(task["requests"], task["requests"][1:], strict=False):
        assert (request.usage or {}).get("cache_read_input_tokens", 0) >= 0.99 * before.input_tokens


def test_marks_tools_and_the_first_request_are_small(task):
    first = task["requests"][0]
    assert first.input_tokens <= 4_000
    assert len(first.body["tools"]) <= 10
    for request in task["requests"]:
        assert json.dumps(request.body).count('"cache_control"') <= 4


def test_the_wire_rules_find_nothing(task, shared):
    spec = importlib.util.spec_from_file_location(
        "wire_rules", shared("cases", "agent", "wire_rules.py")
    )
    rules = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rules)
    for request in task["requests"]:
        assert rules.check(request.body) == []


def test_reasoning_goes_back_unchanged(task):
    sent = [
        block
        for message in task["requests"][-1].body["messages"]
        for block in message["content"]
        if block["type"] == "thinking"
    ]
    assert [block["thinking"] for block in sent] == ["Look first.", "The tax is added once."]


def test_the_failing_test_is_named_and_the_state_knows_what_happened(task):
    texts = [text for _, text in results(task["requests"][-1].body)]
    assert any("test_gross_adds_the_tax_to_every_piece" in t and "1 failed" in t for t in texts)
    events = json_lines((task["session"] / "events.jsonl").read_text())
    runs = [e["data"] for e in events if e["kind"] == "tool_result" and e["data"].get("command")]
    failing = [run for run in runs if run["exit_code"] == 1]
    assert failing[0]["failing"] == ["test_calc.py::test_gross_adds_the_tax_to_every_piece"]
    assert any(run["exit_code"] == 0 and "2 passed" in run["text"] for run in runs)


def test_every_effect_was_announced_before_it_happened(task):
    events = json_lines((task["session"] / "events.jsonl").read_text())
    started = {e["data"]["call_id"]: e["seq"] for e in events if e["kind"] == "tool_started"}
    for event in events:
        if event["kind"] == "tool_result" and event["data"]["name"] in ("run", "edit"):
            assert started[event["data"]["call_id"]] < event["seq"]
