"""P01: a long test log whose verdict is in the last lines.

At the door of the engine, then through the command line.
"""

from __future__ import annotations

import json
import re

import pytest

from fakellm import FakeServer, Scripted, Turn
from novacore.store.artifacts import ArtifactStore
from service.project_kit import (
    environment,
    make_project,
    novacore,
    sessions_folder,
    user_config,
)
from service.turns_kit import results
from spill.door import built_in_host, output, settled

CASE = ("cases", "agent", "P01_spill_tail_verdict")


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "tool-results")


@pytest.fixture
def event(shared):
    return json.loads((shared(*CASE) / "input.json").read_text())["event"]


@pytest.fixture
def checks(shared):
    facts = json.loads((shared(*CASE) / "expect.json").read_text())["facts"]
    return {fact["id"]: fact["check"] for fact in facts}


@pytest.fixture(params=["run", "read"])
async def piece(request, event, store):
    """As a command's log, which ``spill_logs`` answers, and as any other tool's text."""
    command = "pytest tests" if request.param == "run" else ""
    host = await built_in_host()
    try:
        result = await settled(
            [
                output(
                    event["tool_use_id"],
                    event["text"],
                    command=command,
                    exit_code=event["exit_code"],
                    is_error=event["is_error"],
                )
            ],
            store,
            host=host,
        )
    finally:
        await host.aclose()
    return result.by_id[event["tool_use_id"]]


async def test_f1_it_is_spilled(piece, event):
    assert piece.spill["chars"] == len(event["text"]) == 90_936
    assert piece.spill["stored"]


async def test_f2_the_file_equals_the_result(piece, event, store):
    data = store.get(piece.spill["artifact"]).path.read_bytes()
    assert data == event["text"].encode()


async def test_f3_it_says_first_how_much_was_not_delivered(piece, checks):
    start = piece.text[:300]
    assert any(words in start for words in checks["F3"]["model_text_first_300_contains_any"])
    assert "NOT delivered" in start
    assert [part for part in checks["F3"]["model_text_contains"] if part not in start] == []


async def test_f4_the_failing_test_and_the_exit_code_are_visible(piece, checks):
    assert [part for part in checks["F4"]["model_text_contains"] if part not in piece.text] == []
    assert "assert 2 == 1" in piece.text
    assert "tests/integration/test_payout.py:88" in piece.text


async def test_f5_the_replacement_is_short(piece, checks):
    assert len(piece.text) <= checks["F5"]["model_text_max_chars"]


async def test_f6_nothing_makes_it_an_error(piece):
    # The session stores is_error from the tool's outcome; a spill has no say in it.
    assert "is_error" not in piece.spill
    assert piece.spill["reason"] == ""


async def test_f7_a_search_of_the_file_finds_the_one_line(piece, store, checks):
    check = checks["F7"]["read_back_grep"]
    hits = store.search(piece.spill["artifact"], check["pattern"], limit=10)
    assert len(hits) == check["count"]
    assert hits[0].text.startswith("E ")


# --- the same through the command line -------------------------------------------------------


@pytest.fixture
def asked(event, tmp_path):
    """A command that prints the case's text and fails; then the model searches what left."""
    project = make_project(tmp_path / "project")
    body = event["text"].removesuffix(f"exit code: {event['exit_code']}")
    (project / "log.txt").write_text(body)
    user_config('[permissions]\nallow = ["cat *", "exit *"]\n')

    def search(request):
        (stub,) = [text for text, _ in results(request.body).values()]
        artifact = re.search(r"artifact:[\w.-]+", stub)[0]
        return Turn.call("search", pattern="^E ", path=artifact)

    run = Turn.call("run", command=f"cat log.txt; exit {event['exit_code']}")
    with FakeServer(Scripted([run, search, Turn.say("done")])) as fake:
        done = novacore("ask", "Test it.", "--yes", cwd=project, env=environment(fake.url))
        assert done.returncode == 0, done.stderr
        (stub, _), (found, _) = results(fake.requests[-1].body).values()
    (stored,) = (next(sessions_folder().iterdir()) / "tool-results").iterdir()
    return stub, found, stored.read_text(), body


def test_f1_to_f7_through_the_command_line(asked, checks, event):
    stub, found, stored, body = asked
    assert stored == f"{body.rstrip()}\nexit code: 1"
    assert f"{len(stored)} characters" in stub[:300]
    assert "NOT delivered" in stub[:300]
    assert [part for part in checks["F4"]["model_text_contains"] if part not in stub] == []
    assert len(stub) <= checks["F5"]["model_text_max_chars"]
    hits = [line for line in found.split("\n")[1:] if line]
    assert len(hits) == checks["F7"]["read_back_grep"]["count"]
