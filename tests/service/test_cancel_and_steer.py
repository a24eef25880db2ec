"""A turn that is stopped or spoken into: at every moment, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fakellm import FakeServer, Fault, Scripted, Text, ToolUse, Turn
from novacore.errors import UsageError
from novacore.types import PermissionAnswer
from service.project_kit import environment, json_lines, make_project, novacore, user_config
from service.turns_kit import (
    Watch,
    blocks,
    check_wire,
    log_of,
    results,
    say,
    serving,
    text_of,
    texts,
)

SLOW = """import pathlib, subprocess, time
child = subprocess.Popen(["sleep", "60"])
pathlib.Path("child.pid").write_text(str(child.pid))
print("begun", flush=True)
time.sleep(60)
"""
PROMPT = 1.0
"""Seconds; generous, since these machines are shared. The design wants 0.1."""


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


def allow(*rules):
    user_config(f"[permissions]\nallow = {json.dumps(rules)}\n")


def ended(pid):
    """Whether a process is gone, or dead and only not collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def stalls(turn_text, seconds=30.0, after=4):
    """A turn whose stream falls silent after ``after`` events."""
    return Turn((Text(turn_text),), fault=Fault("stall", after_events=after, seconds=seconds),
                chunk_chars=10)  # fmt: skip


async def test_a_cancel_while_the_model_writes_keeps_what_came(project, shared):
    async with FakeServer(Scripted([stalls("The answer is long and never ends.")])) as fake:
        async with serving(project, fake) as service:
            session = (await service.new_session()).id
            watch = Watch(service, session, "Explain the tax.")
            await watch.until(lambda e: e.kind == "text")
            assert await watch.cancel() < PROMPT
            assert watch.idle["stopReason"] == "cancelled"
            shown = text_of(watch.events)
            assert await say(service, session, "Go on.")
        check_wire(shared, fake)
        last = fake.requests[-1].body
        assert texts(last, "assistant") == [shown]
        *told, said = texts(last)
        assert any("the user stopped the turn" in text for text in told)
        assert said == "Go on."
        assert fake.requests[-1].appended_only


async def test_a_cancel_before_anything_happened_loses_no_word(project):
    async with (
        FakeServer(Scripted([Turn.say("Hello.")])) as fake,
        serving(project, fake) as service,
    ):
        session = (await service.new_session()).id
        watch = Watch(service, session, "Do not forget this.")
        await asyncio.sleep(0)
        assert await watch.cancel() < PROMPT
        second = Watch(service, session, "And this?")
        for _ in range(3):
            await asyncio.sleep(0)
        assert await second.cancel() < PROMPT
        with pytest.raises(UsageError, match="not working"):
            await service.steer(session, "too late")
        assert text_of(await say(service, session, "Well?")) == "Hello."
        asked = "\n".join(texts(fake.requests[-1].body))
        assert "And this?" in asked
        assert "Well?" in asked


async def test_a_cancel_during_a_command_ends_it_and_says_so(project, shared):
    allow("python *", "echo *")
    (project / "slow.py").write_text(SLOW)
    calls = (
        ToolUse("run", {"command": "python slow.py"}, id="slow"),
        ToolUse("run", {"command": "echo next"}, id="next"),
    )
    script = Scripted([Turn(calls), Turn.say("I see that it was stopped.")])
    async with FakeServer(script) as fake, serving(project, fake, assume_yes=True) as service:
        session = (await service.new_session()).id
        watch = Watch(service, session, "Run it.")
        await watch.until(lambda e: e.data.get("phase") == "progress")
        assert await watch.cancel() < PROMPT
        events = await say(service, session, "What happened?")
        assert text_of(events) == "I see that it was stopped."
        check_wire(shared, fake)
        got = results(fake.requests[-1].body)
        assert "begun" in got["slow"][0]
        assert "outcome is unknown" in got["slow"][0]
        assert "not started: the user stopped" in got["next"][0]
        assert all(is_error for _, is_error in got.values())
        open_effects = [t for t in texts(fake.requests[-1].body) if "before they are repeated" in t]
        assert "python slow.py" in open_effects[-1]
    (child,) = (project / "child.pid").read_text().splitlines()
    assert ended(int(child))


async def test_a_cancel_during_reads_leaves_a_result_for_each(project, shared):
    for number in range(40):
        (project / f"big{number}.py").write_text("x = 1\n" * 300_000)
    calls = tuple(ToolUse("search", {"pattern": f"y{n}"}, id=f"s{n}") for n in range(3))
    async with FakeServer(Scripted([Turn(calls)])) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        watch = Watch(service, session, "Search.")
        await watch.until(lambda e: e.data.get("phase") == "started")
        await asyncio.sleep(0.2)
        assert await watch.cancel() < PROMPT
        await say(service, session, "And?")
        check_wire(shared, fake)
        got = results(fake.requests[-1].body)
        assert set(got) == {"s0", "s1", "s2"}
        assert "it can be called again" in got["s0"][0]
        assert not [e for e in log_of(session) if e["kind"] == "tool_started"]


async def test_a_cancel_at_a_question_withdraws_it(project, shared):
    call = Turn((ToolUse("run", {"command": "touch made.txt"}, id="q"),))
    async with FakeServer(Scripted([call])) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        watch = Watch(service, session, "Make it.")
        question = await watch.until(lambda e: e.kind == "permission")
        assert await watch.cancel() < PROMPT
        yes = PermissionAnswer(outcome="once")
        with pytest.raises(UsageError):
            await service.answer(session, question.data["questionId"], yes)
        await say(service, session, "Never mind.")
        check_wire(shared, fake)
        text, is_error = results(fake.requests[-1].body)["q"]
        assert is_error
        assert "the user stopped" in text
        assert not (project / "made.txt").exists()


async def test_a_second_cancel_changes_nothing(project):
    allow("sleep *")
    script = Scripted([Turn.call("run", command="sleep 30")])
    async with FakeServer(script) as fake, serving(project, fake, assume_yes=True) as service:
        session = (await service.new_session()).id
        watch = Watch(service, session, "Sleep.")
        await watch.until(lambda e: e.data.get("phase") == "started")
        await asyncio.sleep(0.2)
        for _ in range(3):
            await service.cancel(session)
            await asyncio.sleep(0)
        assert await watch.cancel() < PROMPT
        kinds = [record["kind"] for record in log_of(session)]
        assert kinds.count("turn_end") == kinds.count("tool_result") == 1


async def test_closing_the_service_stops_the_turn_and_records_its_end(project):
    async with FakeServer(Scripted([stalls("An answer that hangs.")])) as fake:
        async with serving(project, fake) as service:
            session = (await service.new_session()).id
            watch = Watch(service, session, "Hang.")
            await watch.until(lambda e: e.kind == "text")
        await watch.task
        assert watch.idle["stopReason"] == "cancelled"
        *_, last = log_of(session)
        assert (last["kind"], last["data"]["stop_reason"]) == ("turn_end", "cancelled")


async def test_what_is_said_meanwhile_stands_behind_the_newest_results(project, shared):
    calls = (
        ToolUse("read", {"path": "calc.py"}, id="r1"),
        ToolUse("glob", {"pattern": "*"}, id="g"),
    )
    script = Scripted([Turn(calls), Turn.say("As you wish.")])
    async with FakeServer(script) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id

        async def speak(event):
            if event.data.get("phase") == "started" and event.data["callId"] == "r1":
                await service.steer(session, "Only look at net().")

        watch = Watch(service, session, "Look.", speak)
        await watch.task
        check_wire(shared, fake)
        last = fake.requests[-1].body["messages"][-1]["content"]
        shape = [b.get("tool_use_id") or b["text"] for b in last]
        assert shape[:3] == ["r1", "g", "Only look at net()."]
        assert fake.requests[-1].appended_only
        assert text_of(watch.events) == "As you wish."


async def test_words_that_come_with_the_last_answer_are_still_answered(project, shared):
    script = Scripted([Turn.say("First."), Turn.say("Second.")])
    async with FakeServer(script) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id

        async def speak(event):
            if event.kind == "text" and event.data["delta"] == "First.":
                await service.steer(session, "One more thing.")

        watch = Watch(service, session, "Go.", speak)
        await watch.task
        assert text_of(watch.events) == "First.Second."
        assert texts(fake.requests[-1].body)[-1] == "One more thing."
        check_wire(shared, fake)


async def test_words_of_a_turn_that_is_stopped_join_the_next(project):
    script = Scripted([stalls("A long answer."), Turn.say("Both heard.")])
    async with FakeServer(script) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        watch = Watch(service, session, "Start.")
        await watch.until(lambda e: e.kind == "text")
        await service.steer(session, "Stop: the tests first.")
        await watch.cancel()
        await say(service, session, "Now go.")
        said = texts(fake.requests[-1].body)
        assert "Stop: the tests first." in said[-3:-1]
        assert said[-1] == "Now go."


def looping():
    return lambda request: Turn.call("glob", pattern="*.py")


async def test_the_step_limit_ends_the_turn_with_pairs(project, shared):
    limits = {"limits.steps": 3}
    async with FakeServer(looping()) as fake, serving(project, fake, overrides=limits) as service:
        session = (await service.new_session()).id
        events = await say(service, session, "Loop.")
        error = events[-1].data["error"]
        assert (events[-1].data["stopReason"], error["exitCode"]) == ("limit", 3)
        assert "after 3 model requests" in error["message"]
        assert len(fake.requests) == 3
        await say(service, session, "continue")
        assert len(fake.requests) == 6
        check_wire(shared, fake)


def test_a_limit_is_one_line_and_exit_code_3(project):
    user_config("[limits]\ndollars = 0.0001\n[prices.m1]\nuncached = 3\ncache_read = 0.3\n"
                "cache_write = 3.75\ncache_write_1h = 6\noutput = 15\n")  # fmt: skip
    with FakeServer(looping()) as fake:
        env = environment(fake.url)
        cost = novacore("ask", "Loop.", "--model", "anthropic/m1", cwd=project, env=env)
        steps = novacore("ask", "Loop.", "--max-steps", "2", "--model", "anthropic/m2", "--json",
                         cwd=project, env=env)  # fmt: skip
    assert cost.returncode == 3
    (line,) = [x for x in cost.stderr.splitlines() if x.startswith("novacore:")]
    assert "limits.dollars" in line
    assert steps.returncode == 3
    last = json_lines(steps.stdout)[-1]["data"]
    assert (last["stopReason"], last["exitCode"]) == ("limit", 3)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("moment", ["streaming", "running"])
def test_ctrl_c_of_the_command_line(project, moment, shared):
    allow("sleep *")
    script = {
        "streaming": [stalls("Thinking about it for a long time.")],
        "running": [Turn.call("run", command="sleep 60")],
    }[moment]
    mark = {"streaming": '"kind": "text"', "running": '"phase": "started"'}[moment]
    with FakeServer(Scripted([*script, Turn.say("Going on.")])) as fake:
        env = environment(fake.url)
        command = [sys.executable, "-P", "-m", "novacore", "ask", "Work.", "--yes", "--json"]
        process = subprocess.Popen(command, cwd=project, env=env, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)  # fmt: skip
        line = ""
        while mark not in line:
            line = process.stdout.readline()
            assert line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 130, err
        assert "Traceback" not in err
        last = json.loads(out.splitlines()[-1])["data"]
        assert (last["stopReason"], last["exitCode"]) == ("cancelled", 130)
        again = novacore("ask", "Go on.", "--session", last["sessionId"], cwd=project, env=env)
        assert again.returncode == 0, again.stderr
        assert again.stdout.strip() == "Going on."
        check_wire(shared, fake)
        assert fake.requests[-1].appended_only
        assert any(role == "assistant" for role, _ in blocks(fake.requests[-1].body))
