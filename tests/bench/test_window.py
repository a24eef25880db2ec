"""What the window of a task of thirty steps costs, and what was saved."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from novacore.tokens import estimate
from service.project_kit import json_lines
from service.thirty_steps import carried_out

pytestmark = pytest.mark.bench


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    return carried_out(tmp_path_factory.mktemp("window"))


def test_prefix_and_cache(task, capsys):
    requests = task["requests"]
    changed = sum(later.previous - later.unchanged for later in requests[1:])
    shares = [
        later.usage["cache_read_input_tokens"] / before.input_tokens
        for before, later in pairwise(requests)
    ]
    read = sum(request.usage["cache_read_input_tokens"] for request in requests)
    whole = sum(request.input_tokens for request in requests)
    marks = max(json.dumps(request.body).count('"cache_control"') for request in requests)
    first = requests[0]
    rows = {
        "requests": len(requests),
        "prefix bytes changed": changed,
        "least share of the request before read from cache": f"{min(shares):.1%}",
        "share of all input read from cache": f"{read / whole:.1%}",
        "marks, at most": marks,
        "tokens of the first request": first.input_tokens,
        "tools": len(first.body["tools"]),
    }
    _print(capsys, rows)
    assert changed == 0
    assert min(shares) >= 0.99
    assert marks <= 4
    assert first.input_tokens <= 4_000


def test_spill(task, capsys):
    events = json_lines((task["session"] / "events.jsonl").read_text())
    results = {e["data"]["call_id"]: e for e in events if e["kind"] == "tool_result"}
    spilled = [event["data"] for event in events if event["kind"] == "spill"]
    full = sum(row["tokens"] for row in spilled)
    shown = sum(estimate(results[row["output_id"]]["data"]["text"]) for row in spilled)
    answers = [event["seq"] for event in events if event["kind"] == "assistant"]
    carried = sum(
        (row["tokens"] - estimate(results[row["output_id"]]["data"]["text"]))
        * sum(seq > results[row["output_id"]]["seq"] for seq in answers)
        for row in spilled
    )
    rows = {
        "outputs spilled": len(spilled),
        "their tokens": full,
        "tokens shown of them": shown,
        "saved": f"{1 - shown / full:.1%}",
        "tokens not carried by later requests": carried,
    }
    _print(capsys, rows)
    assert shown <= 0.1 * full


def _print(capsys, rows):
    with capsys.disabled():
        print()
        for name, value in rows.items():
            print(f"{name:52} {value:>10,}" if isinstance(value, int) else f"{name:52} {value:>10}")
