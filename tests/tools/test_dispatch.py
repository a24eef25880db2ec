import asyncio
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.errors import DiskRefused
from novacore.tools.dispatch import INVALID_JSON, Dispatcher
from novacore.tools.permissions import Permissions, Rules
from novacore.types import PermissionAnswer, PermissionQuestion, ToolCall, ToolOutcome


@pytest.fixture
def dispatch(context):
    async def run(tools, calls, **more):
        tools = {tool.spec.name: tool for tool in tools}
        permissions = more.pop("permissions", Permissions())
        more.setdefault("offered", frozenset(tools))
        return await Dispatcher(tools, permissions).dispatch(calls, context, **more)

    return run


def ask_for(command="true", **more):
    return PermissionQuestion(
        id="q",
        call_id="c",
        tool="t",
        subject="exec",
        title="Run",
        detail="",
        command=command,
        **more,
    )


def answering(outcome, reason=""):
    async def ask(question):
        return PermissionAnswer(outcome=outcome, reason=reason)

    return ask


async def fails(call, context):
    return ToolOutcome(text="no", status="failed", is_error=True)


async def test_read_only_calls_run_at_the_same_time_and_others_in_order(dispatch, fake_tool, call):
    log, together = [], asyncio.Barrier(2)

    async def reads(call, context):
        await together.wait()
        return ToolOutcome(text=call.id)

    async def writes(call, context):
        log.append(f"{call.id} begins")
        await asyncio.sleep(0)
        log.append(f"{call.id} ends")
        return ToolOutcome(text=call.id)

    tools = [fake_tool("r", reads, read_only=True), fake_tool("w", writes)]
    calls = [
        call("r", "1"),
        call("r", "2"),
        call("w", "3"),
        call("w", "4"),
        call("r", "5"),
        call("r", "6"),
    ]
    outcomes = await asyncio.wait_for(dispatch(tools, calls), 5)
    assert [outcome.text for outcome in outcomes] == ["1", "2", "3", "4", "5", "6"]
    assert log == ["3 begins", "3 ends", "4 begins", "4 ends"]


@pytest.mark.parametrize(
    ("name", "input", "words"),
    [
        ("raed", {}, "nearest: read"),
        ("other", {}, "There is no tool 'other'"),
        ("read", {}, "path is missing"),
        ("read", {"path": 3}, "path must be string"),
        ("read", {INVALID_JSON: '{"path": "a'}, 'not valid JSON: {"path": "a'),
    ],
)
async def test_a_call_that_cannot_be_made_says_why(dispatch, fake_tool, ok, name, input, words):
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    tools = [fake_tool("read", ok, read_only=True, schema=schema), fake_tool("other", ok)]
    offered = frozenset({"read"})
    (outcome,) = await dispatch(tools, [ToolCall(id="c", name=name, input=input)], offered=offered)
    assert (outcome.status, outcome.is_error) == ("failed", True)
    assert words in outcome.text
    assert "\n" not in outcome.text


class OddError(BaseException):
    pass


@pytest.mark.parametrize(
    "error", [ValueError("boom"), SystemExit(3), OddError(), asyncio.CancelledError()]
)
async def test_a_broken_tool_is_a_failed_call_and_a_logged_bug(
    dispatch, fake_tool, ok, call, caplog, error
):
    async def broken(call, context):
        raise error

    tools = [fake_tool("bad", broken), fake_tool("r", ok, read_only=True)]
    first, second = await dispatch(tools, [call("bad"), call("r", "2")])
    assert first.status == "failed"
    assert type(error).__name__ in first.text
    assert second.status == "ok"
    assert "bad broke" in caplog.text


@pytest.mark.parametrize("error", [ValueError("boom"), SystemExit("boom"), StopIteration("boom")])
async def test_a_question_that_breaks_is_a_failed_call_too(
    dispatch, fake_tool, ok, call, caplog, error
):
    def question(call, context):
        raise error

    (outcome,) = await dispatch([fake_tool("bad", ok, question=question)], [call("bad")])
    assert (outcome.status, "boom" in outcome.text) == ("failed", True)
    assert "bad broke" in caplog.text


async def test_p13_f5_a_failed_sibling_and_a_user_stop_are_told_apart(
    dispatch, fake_tool, ok, call
):
    tools = [fake_tool("bad", fails), fake_tool("w", ok), fake_tool("r", ok, read_only=True)]
    calls = [call("r", "d0"), call("bad", "d1"), call("w", "d2"), call("r", "d3"), call("w", "d4")]
    live = await dispatch(tools, calls)
    assert [outcome.status for outcome in live] == [
        "ok",
        "failed",
        "sibling_failed",
        "ok",
        "sibling_failed",
    ]
    assert "a parallel call failed" in live[2].text
    assert "user" not in live[2].text

    begun = asyncio.Event()

    async def hangs(call, context):
        begun.set()
        await asyncio.sleep(600)

    tools.append(fake_tool("slow", hangs))
    stopped = await cancelled(
        dispatch(tools, [call("w", "d1"), call("slow", "d2"), call("w", "d3")]), begun
    )
    assert [outcome.status for outcome in stopped] == ["ok", "interrupted", "user_stopped"]
    assert stopped[0].text == "d1 done"
    assert "outcome is unknown" in stopped[1].text
    assert "was not started" in stopped[2].text
    assert all("parallel" not in outcome.text for outcome in stopped)


async def cancelled(work, begun):
    task = asyncio.ensure_future(work)
    await asyncio.wait_for(begun.wait(), 5)
    task.cancel()
    return await task


@pytest.mark.parametrize("read_only", [True, False])
async def test_a_cancel_is_prompt_even_when_a_tool_does_not_listen(
    dispatch, fake_tool, call, read_only
):
    begun, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    async def in_a_thread(call, context):
        def work():
            loop.call_soon_threadsafe(begun.set)
            release.wait(20)

        while not release.is_set():
            try:
                await asyncio.to_thread(work)
            except asyncio.CancelledError:
                continue
        return ToolOutcome(text="late")

    task = asyncio.ensure_future(
        dispatch([fake_tool("t", in_a_thread, read_only=read_only)], [call("t"), call("t", "2")])
    )
    await begun.wait()
    before = time.monotonic()
    task.cancel()
    outcomes = await task
    assert time.monotonic() - before < 1
    assert task.cancelling() == 1
    expected = ["interrupted"] * 2 if read_only else ["interrupted", "user_stopped"]
    assert [outcome.status for outcome in outcomes] == expected
    assert ("unknown" in outcomes[0].text) != read_only
    release.set()
    await asyncio.sleep(0.05)


async def test_a_tool_may_say_what_it_had_done_when_it_was_stopped(dispatch, fake_tool, call):
    begun = asyncio.Event()

    async def polite(call, context):
        begun.set()
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            return ToolOutcome(text="half of it", status="interrupted", is_error=True)

    (outcome,) = await cancelled(dispatch([fake_tool("t", polite)], [call("t")]), begun)
    assert outcome.text == "half of it"


async def test_a_stop_while_a_person_is_asked_starts_nothing(dispatch, fake_tool, ok, call):
    asked, ran = asyncio.Event(), []

    async def ask(question):
        asked.set()
        await asyncio.sleep(600)

    tools = [fake_tool("t", ok, question=ask_for())]
    (outcome,) = await cancelled(
        dispatch(tools, [call("t")], ask=ask, started=lambda c, s: ran.append(c)), asked
    )
    assert outcome.status == "user_stopped"
    assert ran == []


async def test_the_start_is_recorded_before_an_effectful_call_and_its_end_after(
    dispatch, fake_tool, call
):
    log = []

    async def run(call, context):
        log.append(f"run {call.id}")
        return ToolOutcome(text="")

    async def started(call, summary):
        await asyncio.sleep(0.01)
        log.append(f"started {call.id} {summary}")

    def finished(call, outcome):
        log.append(f"finished {call.id}")

    tools = [fake_tool("w", run, question=ask_for("make x")), fake_tool("r", run, read_only=True)]
    await dispatch(
        tools,
        [call("w", "1"), call("r", "2"), call("none", "3")],
        ask=answering("once"),
        started=started,
        finished=finished,
    )
    assert log == ["started 1 Run: make x", "run 1", "finished 1", "run 2", "finished 2"]


async def test_what_cannot_be_recorded_is_not_run(dispatch, fake_tool, call):
    ran = []

    async def run(call, context):
        ran.append(call.id)

    def started(call, summary):
        raise DiskRefused("cannot write events.jsonl: no space", reason="ENOSPC")

    (outcome,) = await dispatch([fake_tool("w", run)], [call("w")], started=started)
    assert (outcome.status, ran) == ("unsupported", [])
    assert "no space" in outcome.text


async def test_trouble_of_the_recorder_does_not_replace_an_outcome(
    dispatch, fake_tool, ok, call, caplog
):
    def finished(call, outcome):
        raise RuntimeError("recorder")

    (outcome,) = await dispatch([fake_tool("w", ok)], [call("w")], finished=finished)
    assert outcome.text == "c1 done"
    assert "could not be reported" in caplog.text


@pytest.mark.parametrize(
    ("ask", "status", "words"),
    [
        (answering("once"), "ok", "done"),
        (answering("reject", "use tabs"), "rejected", "use tabs"),
        (None, "rejected", "nobody was there"),
    ],
)
async def test_a_call_runs_only_if_a_person_says_so(
    dispatch, fake_tool, ok, call, ask, status, words
):
    tools = [fake_tool("t", ok, question=ask_for()), fake_tool("w", ok)]
    first, second = await dispatch(tools, [call("t"), call("w", "2")], ask=ask)
    assert first.status == status
    assert words in first.text
    assert second.status == ("ok" if status == "ok" else "sibling_failed")


async def test_no_answer_is_a_rejection(dispatch, fake_tool, ok, call):
    async def nobody(question):
        return None

    (outcome,) = await dispatch([fake_tool("t", ok, question=ask_for())], [call("t")], ask=nobody)
    assert outcome.status == "rejected"


async def test_one_answer_for_the_session_settles_the_same_question_of_this_message(
    dispatch, fake_tool, ok, call
):
    asked = []

    async def ask(question):
        asked.append(question)
        await asyncio.sleep(0.01)
        return PermissionAnswer(outcome="session")

    tools = [fake_tool("t", ok, read_only=True, question=ask_for())]
    outcomes = await dispatch(tools, [call("t", "1"), call("t", "2")], ask=ask)
    assert [outcome.status for outcome in outcomes] == ["ok", "ok"]
    assert len(asked) == 1


async def test_a_denial_by_rule_asks_nobody(dispatch, fake_tool, ok, call):
    async def never(question):
        raise AssertionError("asked")

    permissions = Permissions(rules=Rules(deny=("sudo",)))
    tools = [fake_tool("t", ok, question=ask_for("sudo id"))]
    (outcome,) = await dispatch(tools, [call("t")], ask=never, permissions=permissions)
    assert outcome.status == "denied"


async def test_an_approved_path_is_open_to_that_call_alone(
    dispatch, fake_tool, call, context, tmp_path
):
    outside = tmp_path / "outside.txt"
    outside.write_text("outside")

    async def reads(call, context):
        access = context.policy.resolve(str(outside), write=False)
        return ToolOutcome(text=context.policy.read_bytes(access).decode())

    question = PermissionQuestion(
        id="q", call_id="c", tool="a", subject="path", title="", detail="", paths=(str(outside),)
    )
    tools = [
        fake_tool("a", reads, read_only=True, question=question),
        fake_tool("b", reads, read_only=True),
    ]
    first, second = await dispatch(tools, [call("a"), call("b", "2")], ask=answering("once"))
    assert first.text == "outside"
    assert second.status == "denied"
    assert "outside the workspace" in second.text


async def test_every_text_of_an_outcome_is_masked(dispatch, fake_tool, call):
    secret = "API_KEY=sk-test-000111222333"

    async def run(call, context):
        return ToolOutcome(
            text=secret, command=secret, error_line=secret, failing=(secret,), data={"diff": secret}
        )

    (outcome,) = await dispatch([fake_tool("t", run)], [call("t")])
    assert "sk-test" not in repr(outcome)
    assert outcome.data["masked"] == {"api-key": 1}


BEHAVIOURS = ["ok", "failed", "raises", "hangs", "deaf", "rejected", "unknown", "invalid"]


@settings(max_examples=60, deadline=None)
@given(
    plan=st.lists(st.tuples(st.sampled_from(BEHAVIOURS), st.booleans()), max_size=7),
    cancel_after=st.none() | st.floats(0, 0.02),
)
def test_there_is_exactly_one_outcome_for_each_call(
    plan, cancel_after, fake_tool_class, plain_context
):
    asyncio.run(one_batch(plan, cancel_after, fake_tool_class, plain_context))


async def one_batch(plan, cancel_after, fake_tool, context):
    running, overlapping, ran, ended = [], [], [], []

    async def run(call, context):
        ran.append(call.id)
        effectful = not call.input["read_only"]
        if running and effectful:
            overlapping.append(call.id)
        running.append(call.id)
        try:
            return await behave(call.input["what"])
        finally:
            running.remove(call.id)

    async def behave(what):
        await asyncio.sleep(0.001)
        if what == "raises":
            raise ValueError(what)
        if what == "hangs":
            await asyncio.sleep(0.05 if cancel_after is None else 600)
        if what == "deaf" and cancel_after is not None:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                await asyncio.sleep(0.1)
        return ToolOutcome(text=what, status="failed" if what == "failed" else "ok")

    def question(call, context):
        return ask_for() if call.input["what"] == "rejected" else None

    schema = {"type": "object", "required": ["what"]}
    tools = {
        "r": fake_tool("r", run, read_only=True, question=question, schema=schema),
        "w": fake_tool("w", run, question=question, schema=schema),
    }
    calls = [
        ToolCall(
            id=str(n),
            name="none" if what == "unknown" else "r" if read_only else "w",
            input={} if what == "invalid" else {"what": what, "read_only": read_only},
        )
        for n, (what, read_only) in enumerate(plan)
    ]
    task = asyncio.ensure_future(
        Dispatcher(tools, Permissions()).dispatch(
            calls,
            context,
            offered=frozenset(tools),
            ask=answering("reject"),
            finished=lambda call, outcome: ended.append(call.id),
        )
    )
    if cancel_after is not None:
        await asyncio.sleep(cancel_after)
        task.cancel()
    try:
        outcomes = await task
    except asyncio.CancelledError:
        assert cancel_after is not None
        assert ran == [], "only a task that had not begun may end without outcomes"
        return
    assert len(outcomes) == len(calls)
    assert overlapping == []
    assert len(set(ran)) == len(ran)
    assert len(set(ended)) == len(ended)
    for call, outcome in zip(calls, outcomes, strict=True):
        assert outcome.text
        if outcome.status in ("user_stopped", "sibling_failed", "rejected"):
            assert call.id not in ran
        if outcome.status == "interrupted":
            assert call.id in ran
    await asyncio.sleep(0.15 if any(what == "deaf" for what, _ in plan) else 0)
