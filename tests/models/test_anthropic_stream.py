"""The Anthropic provider over real HTTP: answers, blocks, usage, and what stays the same."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from fakellm import FakeServer, Scripted, Thinking, Turn
from fakellm import Text as Said
from fakellm import ToolUse as Called
from novacore import errors
from novacore.models import provider
from novacore.types import (
    INVALID_JSON,
    AnswerDone,
    BlockDone,
    Mark,
    Message,
    ModelRequest,
    Reasoning,
    ReasoningDelta,
    Text,
    TextDelta,
    ToolResult,
    ToolSpec,
    ToolUse,
)

MODEL = "claude-sonnet-5-5"
READ = ToolSpec(name="read", description="Read a file.", schema={"type": "object"})


def asking(*messages, **more):
    told = tuple(Message(role=role, blocks=tuple(blocks)) for role, blocks in messages)
    told = told or (Message(role="user", blocks=(Text(text="hi"),)),)
    system = (Text(text="Be brief."),)
    fields = {"model": MODEL, "system": system, "tools": (READ,), "max_tokens": 100}
    return ModelRequest(messages=told, **{**fields, **more})


async def answer(model, request):
    return [event async for event in model.stream(request)]


def blocks_of(events):
    return tuple(e.block for e in events if isinstance(e, BlockDone))


async def test_text_reasoning_and_calls_come_in_order():
    turn = Turn((Thinking("hm" * 200), Said("Let me look. " * 50), Called("read", {"path": "é"})))
    async with FakeServer(Scripted([turn])) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        events = await answer(model, asking())
        await model.aclose()
    reasoning, said, call = blocks_of(events)
    assert reasoning.data["thinking"] == "hm" * 200
    assert reasoning.data["signature"]
    assert said == Text(text="Let me look. " * 50)
    assert (call.name, call.input) == ("read", {"path": "é"})
    deltas = [e.text for e in events if isinstance(e, TextDelta)]
    assert len(deltas) > 1
    assert "".join(deltas) == said.text
    assert "".join(e.text for e in events if isinstance(e, ReasoningDelta)) == "hm" * 200
    last = events[-1]
    assert isinstance(last, AnswerDone)
    assert (last.stop_reason, last.model) == ("tool_use", MODEL)
    assert last.usage.uncached == fake.requests[0].usage["input_tokens"]
    assert last.usage.output == fake.requests[0].usage["output_tokens"]
    assert not last.usage.incomplete


async def test_what_came_back_is_accepted_when_sent_on_and_the_cache_is_hit():
    think = (Thinking("plan"), Thinking("hidden", redacted=True), Said("ok"))
    turns = [Turn((*think, Called("read", {"b": 1, "a": [{"z": 1, "y": 2}]}))), Turn.say("done")]
    async with FakeServer(Scripted(turns)) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        first = asking(("user", [Text(text="x" * 9000)]), marks=(Mark(), Mark(message=0, block=0)))
        blocks = blocks_of(await answer(model, first))
        result = ToolResult(tool_use_id=blocks[-1].id, text="1: x")
        more = [("user", first.messages[0].blocks), ("assistant", blocks), ("user", [result])]
        marks = (Mark(), Mark(message=0, block=0), Mark(message=2, block=0))
        events = await answer(model, asking(*more, marks=marks))
        await model.aclose()
    assert [type(b) for b in blocks] == [Reasoning, Reasoning, Text, ToolUse]
    assert fake.requests[1].appended_only
    assert events[-1].usage.cache_read > 2000
    assert events[-1].usage.cache_write > 0


@pytest.mark.parametrize("raw", ['{"path": "a', "[1, 2]", '"text"', '{"n": NaN}', "[" * 100_000])
async def test_a_call_whose_input_is_no_json_object_comes_marked(raw):
    async with FakeServer(Scripted([Turn((Called("read", raw=raw),))])) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        (call,) = blocks_of(await answer(model, asking()))
        await model.aclose()
    assert call.input == {INVALID_JSON: raw}


async def test_a_call_without_input_has_an_empty_one_and_an_empty_text_is_no_block():
    turn = Turn((Said(""), Called("read", raw="")))
    async with FakeServer(Scripted([turn])) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        (call,) = blocks_of(await answer(model, asking()))
        await model.aclose()
    assert call.input == {}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("refusal", "refusal"),
        ("stop_sequence", "end_turn"),
        ("end_turn", "end_turn"),
    ],
)
async def test_stop_reasons(said, meant):
    async with FakeServer(Scripted([Turn((Said("x"),), stop_reason=said)])) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        events = await answer(model, asking())
        await model.aclose()
    assert events[-1].stop_reason == meant


async def test_without_counters_the_usage_is_an_estimate_and_says_so():
    turn = Turn((Said("word " * 100),), reports_usage=False)
    async with FakeServer(Scripted([turn])) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        events = await answer(model, asking())
        await model.aclose()
    usage = events[-1].usage
    assert usage.estimated
    assert usage.uncached > 0
    assert 100 <= usage.output <= 200


async def test_the_environment_changes_neither_address_nor_key_nor_headers(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/evil")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "leaked")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "leaked")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-leak: yes\nx-team: wrong")
    async with FakeServer(Scripted([]), keys=frozenset({"mine"})) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="mine", headers={"x-team": "core"})
        await answer(model, asking())
        await model.aclose()
    sent = {name.lower(): value for name, value in fake.requests[0].headers.items()}
    assert sent["x-team"] == "core"
    assert "x-leak" not in sent
    assert "leaked" not in json.dumps(sent)


async def test_a_gateway_may_take_its_credential_in_a_header():
    async with FakeServer(Scripted([]), keys=frozenset({"mine"})) as fake:
        model = provider("anthropic", base_url=fake.url, headers={"X-Api-Key": "mine"})
        events = await answer(model, asking())
        await model.aclose()
    assert events[-1].stop_reason == "end_turn"


async def test_a_consumer_that_stops_early_leaves_nothing_open():
    async with FakeServer(Scripted([Turn((Said("x" * 90_000),))])) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        stream = model.stream(asking())
        await anext(stream)
        await stream.aclose()
        await model.aclose()
    assert len(fake.requests) == 1


async def test_a_cancelled_turn_is_cancelled_and_not_retried():
    from fakellm import Fault

    stalled = Turn((Said("x"),), fault=Fault("stall", seconds=5))
    arrived = asyncio.Event()
    async with FakeServer(Scripted([stalled]), on_request=lambda _: arrived.set()) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        task = asyncio.create_task(answer(model, asking()))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.aclose()
    assert len(fake.requests) == 1


async def test_the_sdk_is_not_imported_before_the_first_request():
    code = (
        "import sys; from novacore.models import provider;"
        "p = provider('anthropic', api_key='k');"
        "print([m for m in ('anthropic', 'tiktoken', 'pydantic') if m in sys.modules])"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert out.decode().strip() == "[]"


def test_an_unknown_provider_is_refused_by_name():
    with pytest.raises(errors.ConfigError, match="gemini"):
        provider("gemini")
