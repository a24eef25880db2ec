"""The manifest of every request of a whole task: what it says is what the server received."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from novacore.cli import main
from novacore.store.folder import SessionFolder

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "schemas" / "context.json"
REQUESTS = 30


@pytest.fixture
def there(task, monkeypatch):
    """Where the task was done: its state folder, and its project as the working directory."""
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"NOVACORE_{name}_DIR", str(task["base"] / name.lower()))
    monkeypatch.chdir(task["project"])
    return task


@pytest.fixture
def context(there, capfd):
    """``novacore context --json`` of one request, checked against its schema."""

    def look(number=None):
        words = ["--request", str(number)] if number else []
        assert main(["context", *words, "--json"]) == 0
        said = json.loads(capfd.readouterr().out)
        jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(said)
        return said["data"]

    return look


@pytest.fixture
def snapshots(there):
    session = there["session"]
    return SessionFolder.open(session.parents[1], session.name, write=False).snapshots


def unmarked(block):
    block = {key: value for key, value in block.items() if key != "cache_control"}
    if isinstance(block.get("content"), list):
        block["content"] = [unmarked(inner) for inner in block["content"]]
    return block


def sent(body):
    """The request without marks, signatures and roles: tools, system, then every block."""
    found = []
    for block in (b for m in body["messages"] for b in m["content"]):
        if block["type"] == "thinking":
            found.append({"thinking": block["thinking"]})
        elif block["type"] == "tool_result":
            content = block["content"]
            text = content if isinstance(content, str) else "".join(c["text"] for c in content)
            error = block.get("is_error", False)
            found.append({"id": block["tool_use_id"], "is_error": error, "text": text})
        else:
            found.append(unmarked(block))
    return [*map(unmarked, body["tools"]), *map(unmarked, body["system"]), *found]


def kept(piece, blob):
    """The same of a fragment, from what the snapshots kept."""
    if piece["region"] == "tools":
        name, description = blob["text"].split(": ", 1)
        return {"name": name, "description": description, "input_schema": blob["schema"]}
    if "tool_use" in blob:
        return {"type": "tool_use", **blob["tool_use"]}
    if "tool_result" in blob:
        return {**blob["tool_result"], "text": blob["text"]}
    if "reasoning" in blob:
        return {"thinking": blob["text"]}
    return {"type": "text", "text": blob["text"]}


def test_the_fragments_of_every_request_are_what_was_sent(context, snapshots, there):
    assert len(there["requests"]) == REQUESTS
    for number, request in enumerate(there["requests"], 1):
        fragments = context(number)["fragments"]
        rebuilt = [kept(piece, snapshots.get(piece["blob"])) for piece in fragments]
        assert rebuilt == sent(request.body)


def test_the_sums_of_every_manifest_agree(context):
    for number in range(1, REQUESTS + 1):
        found = context(number)
        tokens = sum(piece["tokens"] for piece in found["fragments"])
        assert sum(row["tokens"] for row in found["regions"]) == tokens
        assert found["totals"]["estimated_tokens"] == tokens
        assert found["totals"]["fragments"] == len(found["fragments"])
        assert found["totals"]["requests"] == REQUESTS
        assert found["request"] == number


def test_positions_are_those_of_the_request(context, there):
    for number in (1, 7, REQUESTS):
        messages = there["requests"][number - 1].body["messages"]
        for piece in context(number)["fragments"]:
            place = piece["position"]
            if place["part"] == "messages":
                assert messages[place["message"]]["content"][place["block"]]


def test_the_prediction_for_the_cache_is_what_was_reported(context):
    for number in range(2, REQUESTS + 1):
        cache = context(number)["cache"]
        assert cache["changed_section"] is None
        assert cache["reported_read"] == cache["predicted_read"] > 0
        assert len(cache["marks"]) <= 4


def test_what_was_counted_before_is_not_estimated_again(context):
    before = 0
    for number in range(1, REQUESTS + 1):
        found = context(number)
        usage = found["usage"]
        counted = usage["uncached"] + usage["cache_read"] + usage["cache_write"]
        if number > 1 and counted - before < 500:
            # Little was added to an exact count, so little can be wrong.
            assert found["used"] == pytest.approx(counted, abs=500)
        before = counted


def test_a_read_of_a_file_that_changed_since_is_stale(context):
    found = context(REQUESTS)
    reads = [p for p in found["fragments"] if p["source"]["uri"] == "file:calc.py"]
    stale = [piece["stale"] for piece in reads]
    # Read whole and by symbol before the edit, and once more after it.
    assert stale[0] is True
    assert stale[-1] is False


def test_a_change_on_the_disk_makes_stale_and_changes_no_content(there, context, snapshots):
    path = there["project"] / "test_calc.py"
    before = path.read_bytes()
    piece = next(p for p in context()["fragments"] if p["source"]["uri"] == "file:test_calc.py")
    text = snapshots.get(piece["blob"])["text"]
    assert piece["stale"] is False
    try:
        path.write_text("# another file\n")
        again = next(p for p in context()["fragments"] if p["id"] == piece["id"])
        assert again["stale"] is True
        assert snapshots.get(again["blob"])["text"] == text
    finally:
        path.write_bytes(before)


def test_all_snapshots_together_are_smaller_than_the_last_request_and_a_third(there):
    last = len(json.dumps(there["requests"][-1].body, ensure_ascii=False).encode())
    folder = there["session"] / "snapshots"
    total = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert total < 1.3 * last
