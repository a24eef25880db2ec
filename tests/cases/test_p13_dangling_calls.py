"""P13: the process died between calls and results.

First at the doors of the normaliser and the state, then through the whole service: the session is
on the disk as the crash left it, is opened again, works, is killed, and is opened once more.
"""

from __future__ import annotations

import json

import pytest

from engine.events_kit import Log
from engine.wire import load_rules, neutral, wire
from fakellm import FakeServer, Scripted, ToolUse, Turn
from novacore.config.folders import state_dir
from novacore.engine.normalise import dangling, normalise, result_text
from novacore.engine.state import fold_all
from novacore.store.folder import SessionFolder
from novacore.types import Message, ToolResult
from service.project_kit import environment, make_project, novacore, user_config
from service.turns_kit import blocks, check_wire, log_of, results, say, serving, texts


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


# --- through the service -------------------------------------------------------------------------


def on_disk(case, project):
    """The case's transcript as the process wrote it, and an orphan as a damaged log may hold it."""
    first = {
        "cwd": str(project),
        "roots": [str(project)],
        "model": "anthropic/claude-sonnet-5-5",
        "provider": "anthropic",
        "mode": "ask",
        "kind": "new",
        "trusted": False,
    }
    question, calls, result = case["transcript"]
    (done,) = result["content"]
    folder = SessionFolder.create(state_dir(), first)

    def write(kind, **data):
        folder.log.append(kind, data, by="host", turn=1)

    write("user", text=question["content"][0]["text"], source="typed")
    write("assistant", blocks=calls["content"], model="m", provider="p", stop_reason="tool_use")
    write("tool_started", call_id="d1", name="bash", read_only=False, summary="check1")
    write("tool_result", call_id="d1", name="bash", text=done["content"], status="ok")
    write("tool_result", call_id="gone", name="bash", text="an orphan", status="ok")
    write("tool_started", call_id="d2", name="http_post", read_only=False, summary="charge 12")
    folder.close()
    return folder.id


@pytest.fixture
async def resumed_twice(case, tmp_path):
    """What the fake saw of ``resume, continue, kill, resume``; the session's id and the project."""
    project = make_project(tmp_path / "project")
    session = on_disk(case, project)
    async with FakeServer(Scripted([Turn.say("I check first."), Turn.say("Checked.")])) as fake:
        async with serving(project, fake) as service:
            await service.open_session(session)
            await say(service, session, "continue")
        # A process that is killed has written nothing more than one that ended here.
        async with serving(project, fake) as service:
            await service.open_session(session)
            await say(service, session, "and?")
        yield fake, session, project


async def test_service_f1_the_first_request_has_the_results_in_order_then_the_words(
    resumed_twice, shared
):
    fake, _, _ = resumed_twice
    check_wire(shared, fake)
    first = fake.requests[0].body
    assert list(results(first)) == ["d1", "d2", "d3"]
    last = first["messages"][-1]["content"]
    assert [block["type"] for block in last[:3]] == ["tool_result"] * 3
    assert last[-1]["text"] == "continue"
    assert [r for r, b in blocks(first) if b["type"] == "tool_use"] == ["assistant"] * 3


async def test_service_f2_the_reasons_are_true(resumed_twice):
    got = results(resumed_twice[0].requests[0].body)
    assert got["d1"] == ("ok 1", False)
    for id in ("d2", "d3"):
        text, is_error = got[id]
        assert is_error
        assert "interrupted" in text
        assert "outcome unknown" in text.lower()
        assert not any(w in text.lower() for w in ("user cancel", "cancelled by", "stopped"))


async def test_service_f3_nothing_runs_again_and_the_charge_is_to_be_checked(resumed_twice, case):
    fake, session, _ = resumed_twice
    begun = [e["data"]["call_id"] for e in log_of(session) if e["kind"] == "tool_started"]
    assert begun == ["d1", "d2"]
    events = SessionFolder.open(state_dir(), session, write=False).log.events
    effects = {e.call_id: e.status for e in fold_all(events).side_effects}
    assert effects == {"d1": "committed", "d2": "unknown"}
    (told,) = [t for t in texts(fake.requests[0].body) if "before they are repeated" in t]
    assert "unknown: http_post charge 12 [d2]" in told


async def test_service_f4_the_repair_is_recorded_once(resumed_twice):
    fake, session, _ = resumed_twice
    answered = [e["data"]["call_id"] for e in log_of(session) if e["kind"] == "tool_result"]
    assert sorted(answered) == ["d1", "d2", "d3", "gone"]
    assert fake.requests[1].appended_only


async def test_service_f6_the_orphan_is_in_the_log_and_in_no_request(resumed_twice):
    fake, session, _ = resumed_twice
    assert "an orphan" not in json.dumps([request.body for request in fake.requests])
    assert "an orphan" in json.dumps(log_of(session))


def test_service_f1_from_the_command_line(case, tmp_path, shared):
    project = make_project(tmp_path / "project")
    session = on_disk(case, project)
    with FakeServer(Scripted([Turn.say("I check first.")])) as fake:
        env = environment(fake.url)
        done = novacore("ask", "continue", "--session", session, cwd=project, env=env)
        assert (done.returncode, done.stdout.strip()) == (0, "I check first."), done.stderr
        check_wire(shared, fake)
        assert list(results(fake.requests[0].body)) == ["d1", "d2", "d3"]


async def test_service_f5_a_failed_sibling_is_no_user_stop(tmp_path, shared):
    project = make_project(tmp_path / "project")
    user_config('[permissions]\nallow = ["python *"]\n')
    uses = (
        ToolUse("run", {"command": "python missing.py"}, id="fails"),
        ToolUse("run", {"command": "python noise.py"}, id="dropped"),
    )
    async with FakeServer(Scripted([Turn(uses)])) as fake:
        async with serving(project, fake, assume_yes=True) as service:
            session = (await service.new_session()).id
            await say(service, session, "Run both.")
        check_wire(shared, fake)
        text, is_error = results(fake.requests[-1].body)["dropped"]
        assert is_error
        assert "a parallel call failed" in text
        assert "user" not in text.lower()
        begun = [e["data"]["call_id"] for e in log_of(session) if e["kind"] == "tool_started"]
        assert begun == ["fails"]
