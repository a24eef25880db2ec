"""A provider that fails: nothing is lost, one line says what to do, the next turn works."""

from __future__ import annotations

import json
import socket

import pytest

from fakellm import FakeServer, Fault, Scripted, Text, Thinking, ToolUse, Turn
from fakellm.errors import ApiError, invalid, overloaded, rate_limited
from service.project_kit import environment, make_project, novacore, sessions_folder, user_config
from service.turns_kit import (
    blocks,
    check_wire,
    log_of,
    notices,
    results,
    say,
    serving,
    text_of,
    texts,
)


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


async def turns(project, policy, *said, **options):
    """A session that hears ``said``; gives the fake, the events of each turn, and its id."""
    async with FakeServer(policy) as fake, serving(project, fake, **options) as service:
        session = (await service.new_session()).id
        return fake, [await say(service, session, text) for text in said], session


# --- before anything: the command line -------------------------------------------------------


def failing(project, url, *words, key="sk-fake"):
    env = environment(url) | {"ANTHROPIC_API_KEY": key}
    done = novacore("ask", "Hello?", *words, cwd=project, env=env)
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("novacore: ")]
    assert len(lines) == 1, done.stderr
    return done.returncode, lines[0]


def test_a_server_that_is_down(project):
    url = f"http://127.0.0.1:{closed_port()}"
    code, line = failing(project, url)
    assert code == 1
    assert url in line
    assert "providers.anthropic.base_url" in line


def test_a_wrong_key_is_not_shown(project):
    with FakeServer(Scripted([]), keys=frozenset({"sk-right"})) as fake:
        code, line = failing(project, fake.url, key="sk-wrong-00112233445566")
    assert code == 1
    assert "ANTHROPIC_API_KEY" in line
    assert "00112233" not in line


def test_an_unknown_model_leaves_no_session_behind(project):
    with FakeServer(Scripted([]), models={"claude-sonnet-5-5": 200_000}) as fake:
        code, line = failing(project, fake.url, "--model", "anthropic/no-such-model")
    assert code == 1
    assert "no-such-model" in line
    assert "--model" in line
    assert not sessions_folder().exists()


def test_a_server_that_goes_down_in_the_middle(project):
    down = Turn((), fault=Fault("disconnect"))
    steps = [Turn.call("glob", pattern="*.py"), *[down] * 3, Turn.say("Back again.")]
    with FakeServer(Scripted(steps)) as fake:
        code, line = failing(project, fake.url)
        assert code == 1
        assert "check the network" in line
        (session,) = sessions_folder().iterdir()
        env = environment(fake.url)
        again = novacore("ask", "Go on.", "--session", session.name, cwd=project, env=env)
    assert again.stdout.strip() == "Back again."
    assert "calc.py" in json.dumps(fake.requests[-1].body)


# --- what passes by itself ---------------------------------------------------------------------


async def test_too_many_requests_are_waited_for(project):
    steps = [Turn.fails(rate_limited(0.1)), Turn.fails(overloaded()), Turn.say("Now.")]
    fake, (events,), _ = await turns(project, Scripted(steps), "Hello?")
    assert text_of(events) == "Now."
    assert events[-1].data["stopReason"] == "end_turn"
    assert len(fake.requests) == 3


async def test_an_overload_before_any_text_is_tried_again(project, shared):
    early = Turn((Text("Never shown."),), fault=Fault("stream_error", after_events=2))
    fake, (events,), session = await turns(project, Scripted([early, Turn.say("Shown.")]), "Hello?")
    assert text_of(events) == "Shown."
    assert [e["kind"] for e in log_of(session)].count("assistant") == 1
    check_wire(shared, fake)


# --- what came is kept ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["stream_error", "disconnect", "end"])
async def test_a_stream_that_breaks_after_text_keeps_it(project, shared, kind):
    cut = Turn((Text("The first half of a long answer."),), chunk_chars=8,
               fault=Fault(kind, after_events=5))  # fmt: skip
    fake, (broken, after), session = await turns(
        project, Scripted([cut, Turn.say("And the second.")]), "Tell me.", "Go on."
    )
    shown = text_of(broken)
    assert shown
    assert "The first half".startswith(shown[:9])
    error = broken[-1].data["error"]
    assert error["exitCode"] == 1
    assert "broke off" in error["message"]
    assert text_of(after) == "And the second."
    last = fake.requests[-1].body
    assert texts(last, "assistant") == [shown]
    assert any("is not complete" in text for text in texts(last))
    assert fake.requests[-1].appended_only
    assert next(e for e in log_of(session) if e["kind"] == "assistant")["data"]["incomplete"]
    check_wire(shared, fake)


async def test_a_call_of_a_broken_answer_is_not_run(project, shared):
    cut = Turn(
        (
            Thinking("I look and say so."),
            ToolUse("glob", {"pattern": "*"}, id="g"),
            Text("And then I say a lot of words."),
        ),
        chunk_chars=8,
        fault=Fault("disconnect", after_events=14),
    )
    fake, (broken, _), _ = await turns(project, Scripted([cut]), "Look.", "Go on.")
    assert broken[-1].data["stopReason"] == "error"
    text, is_error = results(fake.requests[-1].body)["g"]
    assert is_error
    assert "the answer that called it broke off" in text
    assert "user" not in text
    check_wire(shared, fake)


# --- requests that are refused -------------------------------------------------------------------


def refusing(bad, place, once=False):
    """Refuses every request that holds ``bad``, naming the place given by ``place(body)``."""

    def policy(request):
        if bad in json.dumps(request.body):
            return Turn.fails(invalid(f"{place(request.body)}: Could not process this block"))
        return Turn.say("Answered.")

    return policy


def place_of(bad):
    def place(body):
        for m, message in enumerate(body["messages"]):
            for b, block in enumerate(message["content"]):
                if bad in json.dumps(block):
                    return f"messages.{m}.content.{b}"
        raise AssertionError(bad)

    return place


async def test_a_refused_block_is_left_out_once_and_the_session_goes_on(project, shared):
    (project / "poison.py").write_text("poison = 1\n")
    refuse = refusing("poison = 1", place_of("poison = 1"))
    read = Turn((Text("I read."), ToolUse("read", {"path": "poison.py"}, id="p"),
                 ToolUse("read", {"path": "calc.py"}, id="c")))  # fmt: skip

    def policy(request):
        return read if not results(request.body) else refuse(request)

    async with FakeServer(policy) as fake:
        async with serving(project, fake) as service:
            session = (await service.new_session()).id
            events = await say(service, session, "Read.")
            assert text_of(events) == "I read.Answered."
            assert len(fake.requests) == 3
            (told,) = [n for n in notices(events) if "left out" in n]
            assert "Could not process this block" in told
            assert text_of(await say(service, session, "More?")) == "Answered."
        async with serving(project, fake) as service:
            await service.open_session(session)
            assert text_of(await say(service, session, "And now?")) == "Answered."
            assert fake.requests[-1].appended_only
            manifest = service.context(session)
            shown = [f["preview"] for f in manifest["fragments"]]
            assert any("left out of the request" in text for text in shown)
            assert not any("poison" in text and "= 1" in text for text in shown)
        got = results(fake.requests[-1].body)
        assert "it is in the log" in got["p"][0]
        assert "def net" in got["c"][0]
        assert len(fake.requests) == 5, "nothing is sent twice"
        check_wire(shared, fake)
        assert "poison = 1" in json.dumps(log_of(session))


@pytest.mark.parametrize("named", ["messages.0", "messages.99", "nothing in particular"])
async def test_a_request_that_stays_refused_is_never_sent_twice(project, named):
    def policy(request):
        return Turn.fails(ApiError(400, "invalid_request_error", f"{named}: no"))

    fake, (first, second), _ = await turns(project, policy, "Hello?", "Again?")
    bodies = [json.dumps(request.body) for request in fake.requests]
    assert len(bodies) == len(set(bodies)) <= 4
    for events in (first, second):
        error = events[-1].data["error"]
        assert error["exitCode"] == 1
        assert "novacore compact" in error["message"]
        assert "\n" not in error["message"]


async def test_reasoning_that_is_refused_is_dropped(project, shared):
    def policy(request):
        if any(block["type"] == "thinking" for _, block in blocks(request.body)):
            return Turn.fails(invalid("messages.1.content.0: Invalid `signature` in `thinking`"))
        if results(request.body):
            return Turn.say("Without it.")
        return Turn((Thinking("Hm."), ToolUse("glob", {"pattern": "*"})))

    fake, (events, again), _ = await turns(project, policy, "Look.", "Again?")
    assert text_of(events) == text_of(again) == "Without it."
    assert len(fake.requests) == 4
    assert any("reasoning" in text for text in notices(events))
    check_wire(shared, fake)


async def test_a_prompt_that_is_too_long_is_compacted_once_and_sent_again(project, shared):
    """The endpoint says 200,000 and means 24,000."""
    for number in range(20):
        body = "\n".join(f"value_{number}_{k} = {k}  # entry" for k in range(300))
        (project / f"m{number}.py").write_text(body)
    tokens = []

    def policy(request):
        tokens.append(request.input_tokens)
        if request.input_tokens > 24_000:
            return Turn.fails(
                invalid(f"prompt is too long: {request.input_tokens} tokens > 24000 maximum")
            )
        seen = sum(block["type"] == "tool_use" for _, block in blocks(request.body))
        if len(tokens) > 20:
            return Turn.say("All read.")
        return Turn.call("read", path=f"m{seen % 20}.py", start_line=1, end_line=300)

    fake, (events,), _ = await turns(project, policy, "Read all. Never touch m3.py.")
    assert text_of(events) == "All read."
    refused = [i for i, count in enumerate(tokens) if count > 24_000]
    assert len(refused) == 1, "the learned window keeps the next request short"
    compactions = [e.data for e in events if e.kind == "compaction"]
    assert compactions[0]["trigger"] == "too_long"
    assert compactions[0]["id"]
    assert "Never touch m3.py." in json.dumps(fake.requests[-1].body)
    check_wire(shared, fake)


# --- answers that are odd ------------------------------------------------------------------------


@pytest.mark.parametrize(("reason", "words"), [("refusal", "refused"), ("max_tokens", "continue")])
def test_an_answer_that_stops_early_says_so(project, reason, words):
    with FakeServer(Scripted([Turn((Text("Half."),), stop_reason=reason)])) as fake:
        env = environment(fake.url)
        done = novacore("ask", "Hello?", cwd=project, env=env)
        assert done.returncode == 1
        assert done.stdout.strip() == "Half."
        assert words in done.stderr
        (session,) = sessions_folder().iterdir()
        again = novacore("ask", "continue", "--session", session.name, cwd=project, env=env)
        assert again.returncode == 0


async def test_an_answer_without_anything_in_it(project, shared):
    empty = Turn(())
    fake, (nothing, something), _ = await turns(project, Scripted([empty]), "Hello?", "Well?")
    assert nothing[-1].data["stopReason"] == "end_turn"
    assert text_of(something) == "Done."
    check_wire(shared, fake)


async def test_calls_that_no_tool_can_take_are_answered(project, shared):
    odd = Turn(
        (
            ToolUse("read", {}, id="cut", raw='{"path": "calc.py", "start_li'),
            ToolUse("read", {}, id="list", raw="[1, 2]"),
            ToolUse("raed", {"path": "calc.py"}, id="unknown"),
            ToolUse("bad name! \x00" + "n" * 300, {}, id="hostile"),
            ToolUse("read", {"path": 7}, id="typed"),
            ToolUse("edit", {"path": "calc.py"}, id="lacking"),
            ToolUse("glob", {"pattern": "*.py"}, id="good"),
        )
    )
    fake, (events,), _ = await turns(project, Scripted([odd]), "Look.")
    assert events[-1].data["stopReason"] == "end_turn"
    got = results(fake.requests[-1].body)
    assert "not valid JSON" in got["cut"][0]
    assert "not valid JSON" in got["list"][0]
    assert "nearest: read" in got["unknown"][0]
    assert "There is no tool" in got["hostile"][0]
    assert "path" in got["typed"][0]
    assert "version" in got["lacking"][0]
    assert got["good"][1] is False
    assert all(is_error for id, (_, is_error) in got.items() if id != "good")
    check_wire(shared, fake)


async def test_ids_that_a_provider_gives_twice(project, shared):
    same = Turn(
        (
            ToolUse("read", {"path": "calc.py"}, id="same"),
            ToolUse("read", {"path": "test_calc.py"}, id="same"),
            ToolUse("glob", {"pattern": "*.py"}, id="same"),
        )
    )
    script = Scripted([same, same, Turn.say("One."), same])
    fake, all_events, _ = await turns(project, script, "Look.", "Again.")
    assert text_of(all_events[0]) == "One."
    check_wire(shared, fake)
    got = results(fake.requests[-1].body)
    assert len(got) == 9
    assert "def net" in got["same"][0]
    assert "def test_net" in got["same_2"][0]
    assert "noise.py" in got["same_3"][0]
    finished = [e.data["callId"] for e in all_events[0] if e.data.get("phase") == "finished"]
    assert finished == ["same", "same_2", "same_3", "same_4", "same_5", "same_6"]
    for before, now in zip(fake.requests, fake.requests[1:], strict=False):
        assert now.rendered().startswith(before.rendered())


HOSTILE = ["x" * 1_400, "nul\x00id", "../../etc/passwd", "CON", ".", "a/b\\c", "ünï", " ", "%2e%2e"]


async def test_hostile_ids_come_back_as_they_were(project, shared):
    user_config('[permissions]\nallow = ["python *"]\n')
    uses = tuple(ToolUse("run", {"command": "python noise.py"}, id=id) for id in HOSTILE)
    script = Scripted([Turn(uses), Turn(uses[:1])])
    fake, (events,), session = await turns(project, script, "Make noise.", assume_yes=True)
    assert events[-1].data["stopReason"] == "end_turn"
    got = results(fake.requests[1].body)
    assert list(got) == HOSTILE
    files = list((sessions_folder() / session / "tool-results").iterdir())
    assert len(files) == len(HOSTILE) + 1
    assert all(path.is_file() and len(path.name) < 100 for path in files)
    check_wire(shared, fake)
