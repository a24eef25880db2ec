"""The navigator from the command line: the whole loop, with no key, no network and no model."""

from __future__ import annotations

import json

import pytest

from service.project_kit import json_lines, make_project, novacore, sessions_folder

ASK = ("ask", "--model", "navigator")


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "shop")


def test_an_answer_with_places_and_steps(project):
    done = novacore(*ASK, "What calls net?", cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("This is the navigator")
    assert "`calc.py:9-11` `gross`**: uses `net` in line 11" in done.stdout
    assert "return net(price, count) + rate" in done.stdout
    assert "find" in done.stderr
    assert "search" in done.stderr


def test_it_says_that_it_cannot_change_code_and_leaves_it_as_it_is(project):
    before = (project / "calc.py").read_bytes()
    done = novacore(*ASK, "Fix gross so that tax is multiplied", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "cannot make the change" in done.stdout
    assert "`calc.py:9-11` `gross`" in done.stdout
    assert (project / "calc.py").read_bytes() == before


def test_a_second_question_of_a_session_is_answered_from_the_same_code(project):
    first = novacore(*ASK, "--json", "How is the tax computed?", cwd=project)
    session = json_lines(first.stdout)[-1]["data"]["sessionId"]
    answers = [
        novacore(*ASK, "--session", session, "How is the tax computed?", cwd=project).stdout
        for _ in range(3)
    ]
    assert "`calc.py:9-11` `gross`" in answers[0]
    assert len(set(answers)) == 1


def test_its_work_is_on_record_like_that_of_any_model(project):
    novacore(*ASK, "How is the tax computed?", cwd=project)
    log = next(sessions_folder().glob("*/events.jsonl"))
    events = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    calls = [
        b["id"]
        for e in events
        if e["kind"] == "assistant"
        for b in e["data"]["blocks"]
        if "id" in b
    ]
    results = [e["data"]["call_id"] for e in events if e["kind"] == "tool_result"]
    assert calls
    assert calls == results
    assert all(e["data"]["estimated"] for e in events if e["kind"] == "usage")
