"""A session that goes on in another process: after an end, after a crash, after kill -9."""

from __future__ import annotations

import itertools
import json
import random
import signal
import subprocess
import sys
import threading

import pytest

from fakellm import FakeServer, Fault, Scripted, Text, Thinking, ToolUse, Turn
from novacore.config.folders import state_dir
from novacore.errors import SessionLocked, SessionNotFound
from novacore.store.folder import SessionFolder
from service.project_kit import (
    environment,
    json_lines,
    make_project,
    novacore,
    sessions_folder,
    user_config,
)
from service.turns_kit import check_wire, log_of, results, say, serving, texts

ACT = """import pathlib, sys, time
with pathlib.Path("effects.txt").open("a") as file:
    file.write(sys.argv[1] + "\\n")
print("acting", flush=True)
time.sleep(0.6)
print("acted")
"""


@pytest.fixture
def project(tmp_path):
    made = make_project(tmp_path / "project")
    (made / "act.py").write_text(ACT)
    return made


def requests_of(fake):
    return [request.rendered() for request in fake.requests]


async def test_the_next_process_begins_with_the_bytes_of_the_last(project, shared):
    user_config('[permissions]\nallow = ["python *"]\n')
    script = [
        Turn((Thinking("Look."), Text("I look."), ToolUse("read", {"path": "calc.py"}))),
        Turn((Thinking("Run."), ToolUse("run", {"command": "python noise.py"}))),
        Turn((Thinking("All clear."), Text("The tax is wrong."))),
        Turn((Thinking("Again."), ToolUse("search", {"pattern": "rate"}))),
        Turn.say("Line 9."),
        Turn.say("Still line 9."),
    ]
    async with FakeServer(Scripted(script)) as fake:
        for text in ("What is wrong? You must never edit tests.", "Where?", "Sure?"):
            async with serving(project, fake, assume_yes=True) as service:
                known = service.latest_session()
                opened = service.open_session(known) if known else service.new_session()
                session = (await opened).id
                await say(service, session, text)
        check_wire(shared, fake)
        sent = requests_of(fake)
        assert len(sent) == 6
        for before, now in itertools.pairwise(sent):
            assert now.startswith(before)
        for before, now in itertools.pairwise(fake.requests):
            assert now.usage["cache_read_input_tokens"] >= 0.99 * before.input_tokens
        kinds = [b.get("type") for m in fake.requests[-1].body["messages"] for b in m["content"]]
        assert kinds.count("thinking") == 4
        rules = [t for t in texts(fake.requests[-1].body) if "never edit tests" in t]
        assert len(rules) == 2, "the user's words, and one restatement of them"
    async with serving(project, fake) as service:
        manifest = service.context(session)
        assert (manifest["epoch"], manifest["request"]) == (1, 6)
        assert manifest["cache"]["changed_section"] is None
        assert manifest["cache"]["predicted_read"] > 0
        ids = [piece["id"] for piece in manifest["fragments"]]
        assert len(ids) == len(set(ids)), "each fragment is written once"


async def test_another_model_starts_another_epoch(project, shared):
    thinking = Turn((Thinking("Hm."), Text("One.")))
    async with FakeServer(Scripted([thinking, Turn.say("Two.")])) as fake:
        async with serving(project, fake) as service:
            session = (await service.new_session()).id
            await say(service, session, "Say one.")
        async with serving(project, fake, model="anthropic/claude-opus-9") as service:
            await service.open_session(session[:20])
            await say(service, session, "Say two.")
            assert service.context(session)["epoch"] == 2
        check_wire(shared, fake)
        assert "Hm." not in json.dumps(fake.requests[-1].body)


async def test_a_session_has_one_writer_and_opens_twice_in_one_service(project):
    async with FakeServer(Scripted([])) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        assert (await service.open_session(session)).id == session
        async with serving(project, fake) as other:
            with pytest.raises(SessionLocked):
                await other.open_session(session)
            with pytest.raises(SessionNotFound):
                await other.open_session("no-such-session")
            assert other.session_events(session)


# --- after a crash -------------------------------------------------------------------------------


def crashed(project, *records):
    """A session whose process died after these records, written as that process wrote them."""
    first = {
        "cwd": str(project),
        "roots": [str(project)],
        "repository": "",
        "principal": "",
        "model": "anthropic/claude-sonnet-5-5",
        "provider": "anthropic",
        "mode": "ask",
        "kind": "new",
        "trusted": False,
    }
    folder = SessionFolder.create(state_dir(), first)
    for kind, data in records:
        folder.log.append(kind, data, by="host", turn=1)
    folder.close()
    return folder.id


def calls(*uses):
    blocks = [{"type": "tool_use", "id": i, "name": n, "input": {}} for i, n in uses]
    return "assistant", {"blocks": blocks, "model": "m", "provider": "p", "stop_reason": "tool_use"}


def started(call_id, name="run"):
    return "tool_started", {
        "call_id": call_id,
        "name": name,
        "summary": f"run {call_id}",
        "read_only": False,
    }


async def test_what_finished_without_its_output_is_told_as_finished(project, shared):
    records = (
        ("user", {"text": "Go.", "source": "typed"}),
        calls(("a", "run"), ("b", "run")),
        started("a"),
        ("checkpoint", {"finished": "a", "status": "ok", "exit_code": 0}),
        started("b"),
    )
    async with FakeServer(Scripted([])) as fake, serving(project, fake) as service:
        session = crashed(project, *records)
        await service.open_session(session)
        await say(service, session, "What is the state?")
        check_wire(shared, fake)
        got = results(fake.requests[0].body)
        assert "It finished (exit code 0)" in got["a"][0]
        assert "Outcome unknown" in got["b"][0]
        (restated,) = [t for t in texts(fake.requests[0].body) if "before they are repeated" in t]
        assert "[b]" in restated
        assert "[a]" not in restated


async def test_ids_that_come_again_are_not_taken_for_the_earlier_calls(project, shared):
    """A call that finished says nothing of a later one that has its id."""
    again = Turn((ToolUse("glob", {"pattern": "*.py"}, id="x"),))
    records = (
        ("user", {"text": "Go.", "source": "typed"}),
        calls(("x", "run")),
        started("x"),
        ("checkpoint", {"finished": "x", "status": "ok", "exit_code": 0}),
    )
    async with FakeServer(Scripted([again, again])) as fake, serving(project, fake) as service:
        session = crashed(project, *records)
        await service.open_session(session)
        await say(service, session, "Go on.")
        check_wire(shared, fake)
        assert set(results(fake.requests[-1].body)) == {"x", "x_2", "x_3"}


# --- kill -9 -------------------------------------------------------------------------------------


def model(request):
    """Acts twice, one call after the other; what is unknown is not done again."""
    done = results(request.body)
    if len(done) < 2:
        return Turn(
            (
                Text("I act now, and I say it in some words that take a while to come."),
                ToolUse("run", {"command": f"python act.py {len(done)}"}),
            ),
            fault=Fault("stall", after_events=5, seconds=0.4),
            chunk_chars=8,
        )
    return Turn(
        (Text("Both were looked after."),), fault=Fault("stall", after_events=3, seconds=0.3)
    )


MOMENTS = [
    ("the words are recorded", '"kind": "user"', 0.0),
    ("the model writes", '"kind": "text"', 0.0),
    ("a call begins", '"phase": "started"', 0.0),
    ("a command runs", '"phase": "progress"', 0.1),
    ("a command ends", '"phase": "progress"', 0.6),
    ("a result is there", '"phase": "finished"', 0.0),
]


@pytest.mark.parametrize(("moment", "mark", "delay"), MOMENTS, ids=[m for m, *_ in MOMENTS])
def test_kill_9(project, shared, moment, mark, delay):
    killed_and_continued(project, shared, mark, delay)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(40))
def test_kill_9_at_any_moment(project, shared, number):
    """At the first sign of life, and then at any time until it would have ended by itself."""
    killed_and_continued(project, shared, "", random.Random(number).uniform(0, 4))


def killed_and_continued(project, shared, mark, delay):
    user_config('[permissions]\nallow = ["python *"]\n')
    with FakeServer(model) as fake:
        env = environment(fake.url)
        seen = kill_when(mark, delay, project, env)
        (session,) = [path.name for path in sessions_folder().iterdir()]
        written = log_of(session)
        newest = max((event["seq"] for event in seen if "seq" in event), default=0)
        assert newest <= written[-1]["seq"], "what was shown is on the disk"
        answers = {r["data"]["call_id"]: r["data"] for r in written if r["kind"] == "tool_result"}
        for event in seen:
            if event.get("phase") == "finished":
                assert answers[event["callId"]]["text"] == event["text"]
        sent = requests_of(fake)
        again = novacore("ask", "Go on.", "--yes", "--json", "--session", session[:18],
                         cwd=project, env=env)  # fmt: skip
        assert again.returncode == 0, again.stderr
        check_wire(shared, fake)
        assert json_lines(again.stdout)[-1]["data"]["text"] == "Both were looked after."
        if sent:
            assert requests_of(fake)[len(sent)].startswith(sent[-1])
    check_log(project, written, log_of(session))


def check_log(project, before, after):
    """Nothing was changed or lost, each call has one result, and no effect came twice."""
    assert after[: len(before)] == before
    answered = [r["data"]["call_id"] for r in after if r["kind"] == "tool_result"]
    begun = [r["data"]["call_id"] for r in after if r["kind"] == "tool_started"]
    assert len(answered) == len(set(answered)) == 2
    assert len(begun) == len(set(begun))
    effects = (project / "effects.txt").read_text().split()
    assert len(effects) == len(set(effects)) <= len(begun)


def kill_when(mark, delay, project, env):
    """Ask, kill -9 at that moment, and give the events that were shown until then."""
    command = [sys.executable, "-P", "-m", "novacore", "ask", "Act.", "--yes", "--json"]
    process = subprocess.Popen(command, cwd=project, env=env, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL)  # fmt: skip
    lines = []
    guard = threading.Timer(30, process.kill)
    guard.start()
    with process:
        for line in process.stdout:
            lines.append(line)
            if mark in line:
                threading.Timer(delay, process.send_signal, (signal.SIGKILL,)).start()
                mark = "\0"
    guard.cancel()
    assert process.returncode in (-signal.SIGKILL, 0), lines
    return [json.loads(line) for line in lines if line.endswith("\n")]
