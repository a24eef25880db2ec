"""One turn, for a person and for a machine."""

from __future__ import annotations

import io
import sys

import pytest


def test_the_answer_is_on_stdout_and_the_steps_beside_it(cli):
    outcome = cli("ask", "where", "is", "it")
    assert outcome.code == 0
    assert outcome.out == "It is here ?: 你好\nDone.\n"
    assert outcome.err.splitlines() == [
        "  note: plugin team: deadline",
        "  recalled mem:k · recall_lexical",
        "  read    pay/callback.py::Handler/on_notify · 2 lines",
        "  run     pytest -q · exit 1 · kept as artifact:abc, 900 characters shown",
        "  edit    a.py · +2 -1",
        "  read    .env · denied · denied: .env",
        "  plan    0 of 1 done · now: look",
        "  compacted 9,000 -> 500 tokens by compact_state",
    ]
    assert "\x1b" not in outcome.out + outcome.err


def test_a_machine_gets_every_event_and_last_the_result(cli, valid):
    outcome = cli("ask", "where", "--json")
    *events, result = outcome.lines
    for event in events:
        valid(event, "event")
    assert [event["kind"] for event in events][-1] == "idle"
    assert len({event["sessionId"] for event in events}) == 1
    data = valid(result)["data"]
    assert (data["stopReason"], data["exitCode"]) == ("end_turn", 0)
    assert data["text"] == "It is here ?: 你好\nDone."
    assert outcome.err == ""


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [("limit", 3, "stopped after 1 step"), ("cut", 1, "say `continue`")],
)
def test_a_turn_that_ends_early_says_why(cli, valid, text, code, words):
    outcome = cli("ask", text)
    assert outcome.code == code
    assert words in outcome.err
    result = valid(cli("ask", text, "--json").lines[-1])
    assert result["data"]["exitCode"] == code


def test_an_error_before_the_turn_ends_the_stream_with_a_result(finished, valid):
    outcome = finished("ask", "x", "--json", env={"FAKE_BROKEN": "key"})
    (result,) = outcome.lines
    assert valid(result)["data"]["error"] == "no key: set ANTHROPIC_API_KEY"
    assert (outcome.code, result["data"]["exitCode"]) == (1, 1)


def test_the_words_reach_the_service(cli, service):
    cli("ask", "x", "--model", "opus", "--mode", "read-only", "--yes", "--max-steps", "7")
    options = service.seen[0][1]
    assert (options.model, options.mode, options.assume_yes) == ("opus", "read-only", True)
    assert options.overrides == {"limits.steps": 7}
    assert service.seen[-1] == ("closed",)


def test_a_session_goes_on_and_its_damage_is_named(cli):
    outcome = cli("ask", "x", "--session", "019a0000-1111")
    assert outcome.code == 0
    assert "note: line 3: half a record" in outcome.err
    assert cli("ask", "x", "--session", "zzz").err == "novacore: no session zzz\n"


def test_without_a_terminal_a_question_is_a_rejection_that_says_so(cli, service):
    outcome = cli("ask", "edit it")
    assert outcome.code == 0
    assert "not allowed: Edit a.py: there is no terminal to ask on" in outcome.err
    assert "answered reject" in outcome.out
    assert cli("ask", "edit it", "--json").lines[-1]["data"]["text"].startswith("answered reject")


def test_a_dash_reads_the_question_from_stdin(finished, tmp_path):
    question = tmp_path / "q.txt"
    question.write_bytes("hängen? \xff limit".encode("latin-1"))
    with question.open("rb") as file:
        assert finished("ask", "-", stdin=file).code == 3


def test_a_question_without_end_is_refused(cli, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(b"x" * 10_000_001))
    monkeypatch.setattr(sys, "stdin", stream)
    outcome = cli("ask", "-")
    assert outcome.code == 2
    assert "over 10,000,000 bytes" in outcome.err


def test_the_tour_shows_steps_window_and_next_steps(cli):
    outcome = cli("ask", "where", "--tour")
    assert "1. read    pay/callback.py::Handler/on_notify" in outcome.out
    assert "Handler/on_notify" not in outcome.err
    assert "3,853 of 200k tokens" in outcome.out
    assert "■ evidence" in outcome.out
    for words in ("context --html", "your/repository", "JupyterLab come with later releases"):
        assert words in outcome.out


def test_what_the_configuration_ignored_is_told_once(cli, service, monkeypatch):
    monkeypatch.setattr(service, "warnings", ("p/config.toml:3: mode has no effect",))
    assert cli("find", "size").err.count("mode has no effect") == 1
    outcome = cli("find", "size", "--json")
    assert outcome.json["warnings"] == ["p/config.toml:3: mode has no effect"]
    assert outcome.err == ""
