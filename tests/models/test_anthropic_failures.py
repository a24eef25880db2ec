"""Every fault of a provider over real HTTP: what is tried again, what is kept, what is said."""

from __future__ import annotations

import socket

import pytest

from fakellm import FakeServer, Fault, Scripted, Turn
from fakellm import Text as Said
from fakellm import ToolUse as Called
from fakellm.errors import ApiError, invalid, overloaded, rate_limited
from novacore import errors
from novacore.models.anthropic import AnthropicProvider
from novacore.types import BlockDone, Message, ModelRequest, Text, TextDelta, ToolUse

MODEL = "claude-sonnet-5-5"
LONG = "".join(f"line {i}\n" for i in range(300))
# message_start, ping and content_block_start come before anything can be shown.
BEFORE_TEXT, AFTER_TEXT = 3, 6


def asking(text="hi"):
    message = Message(role="user", blocks=(Text(text=text),))
    return ModelRequest(model=MODEL, system=(), tools=(), messages=(message,), max_tokens=100)


class Client:
    """A provider whose waits are recorded instead of slept."""

    def __init__(self, url, **more):
        self.slept = []
        self.model = AnthropicProvider(
            **{"base_url": url, "api_key": "k", "timeout": 5.0, "sleep": self._sleep, **more}
        )

    async def _sleep(self, seconds):
        self.slept.append(seconds)

    async def ask(self, request=None):
        """The events that came, and the error that ended them."""
        events = []
        try:
            async for event in self.model.stream(request or asking()):
                events.append(event)
        except errors.ModelError as error:
            return events, error
        finally:
            await self.model.aclose()
        return events, None


async def ask(turns, **more):
    async with FakeServer(Scripted(turns)) as fake:
        client = Client(fake.url, **more)
        events, error = await client.ask()
    return events, error, client.slept, fake


def broken(kind, after, **more):
    return Turn((Said(LONG),), fault=Fault(kind, after_events=after, **more))


EARLY = {
    "429": Turn.fails(rate_limited(0.25)),
    "529": Turn.fails(overloaded()),
    "500": Turn.fails(ApiError(500, "api_error", "Internal server error")),
    "503 of a proxy": Turn.fails(ApiError(503, "", "upstream")),
    "overload inside the stream": broken("stream_error", BEFORE_TEXT),
    "cut inside the stream": broken("disconnect", BEFORE_TEXT),
    "cut before the headers": broken("disconnect", None),
    "an end before its time": broken("end", BEFORE_TEXT),
}


@pytest.mark.parametrize("name", EARLY)
async def test_before_anything_was_shown_it_is_tried_again_unseen(name):
    events, error, slept, fake = await ask([EARLY[name], Turn.say("fine")])
    assert error is None
    assert [e.block for e in events if isinstance(e, BlockDone)] == [Text(text="fine")]
    assert len(fake.requests) == 2
    assert fake.requests[0].body == fake.requests[1].body
    assert len(slept) == 1


@pytest.mark.parametrize("kind", ["stream_error", "disconnect", "end"])
async def test_after_something_was_shown_it_is_kept_and_not_tried_again(kind):
    events, error, slept, fake = await ask([broken(kind, AFTER_TEXT)])
    assert isinstance(error, errors.StreamCut)
    assert error.shown
    shown = "".join(e.text for e in events if isinstance(e, TextDelta))
    assert shown
    assert LONG.startswith(shown)
    kept, end = events[-2:]
    assert kept == BlockDone(block=Text(text=shown))
    assert end.stop_reason == "interrupted"
    assert end.usage.incomplete
    assert end.usage.uncached == fake.requests[0].usage["input_tokens"]
    assert end.usage.output >= 1
    assert (len(fake.requests), slept) == (1, [])


async def test_half_a_call_is_never_given_out():
    turn = Turn(
        (Said("Writing."), Called("write", {"content": LONG})),
        fault=Fault("disconnect", after_events=8),
    )
    events, error, _, _ = await ask([turn])
    assert isinstance(error, errors.StreamCut)
    blocks = [e.block for e in events if isinstance(e, BlockDone)]
    assert blocks == [Text(text="Writing.")]
    assert not any(isinstance(b, ToolUse) for b in blocks)


async def test_waits_grow_and_end_within_a_minute():
    _, error, slept, fake = await ask([Turn.fails(overloaded())] * 20)
    assert isinstance(error, errors.Busy)
    assert not error.shown
    assert 3 <= len(fake.requests) == len(slept) + 1 <= 10
    assert slept[0] < slept[1] < slept[2]
    assert sum(slept) <= 60


async def test_the_providers_own_wait_is_respected():
    _, error, slept, _ = await ask([Turn.fails(rate_limited(7)), Turn.say("fine")])
    assert error is None
    assert slept == [7]


async def test_a_wait_past_the_minute_is_not_waited():
    _, error, slept, _ = await ask([Turn.fails(rate_limited(90))])
    assert isinstance(error, errors.Busy)
    assert (error.retry_after, slept) == (90, [])
    assert "90 s" in str(error)


async def test_a_silent_server_is_unreachable():
    stall = Turn((Said("x"),), fault=Fault("stall", seconds=2))
    _, error, slept, _ = await ask([stall] * 5, timeout=0.2)
    assert isinstance(error, errors.Unreachable)
    assert "timeout" in str(error)
    assert len(slept) == 2


async def test_no_server_names_the_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    _, error = await Client(url).ask()
    assert isinstance(error, errors.Unreachable)
    assert url in str(error)
    assert "base_url" in str(error)


async def test_a_wrong_key_says_how_to_set_one():
    async with FakeServer(Scripted([]), keys=frozenset({"right"})) as fake:
        _, error = await Client(fake.url, api_key="wrong").ask()
    assert isinstance(error, errors.BadCredentials)
    assert "ANTHROPIC_API_KEY" in str(error)
    assert "wrong" not in str(error)


async def test_no_key_is_refused_before_any_request():
    async with FakeServer(Scripted([])) as fake:
        _, error = await Client(fake.url, api_key="").ask()
    assert isinstance(error, errors.BadCredentials)
    assert "ANTHROPIC_API_KEY" in str(error)
    assert fake.requests == []


@pytest.mark.parametrize("header", [False, True])
async def test_a_credential_that_no_header_can_carry_is_refused_and_never_quoted(header):
    more = {"headers": {"x-team": "my\nsecret"}} if header else {"api_key": "my\nsecret"}
    async with FakeServer(Scripted([])) as fake:
        client = Client(fake.url, **more)
        _, error = await client.ask()
    assert "control character" in str(error)
    assert "secret" not in str(error)
    assert (fake.requests, client.slept) == ([], [])


async def test_a_key_may_end_in_a_line_break():
    async with FakeServer(Scripted([]), keys=frozenset({"right"})) as fake:
        _, error = await Client(fake.url, api_key="right\n").ask()
    assert error is None


async def test_an_unknown_model_says_how_to_choose_another():
    async with FakeServer(Scripted([]), models={"other": 9}) as fake:
        _, error = await Client(fake.url).ask()
    assert isinstance(error, errors.UnknownModel)
    assert MODEL in str(error)
    assert "--model" in str(error)


async def test_an_address_that_is_no_api_is_no_unknown_model():
    async with FakeServer(Scripted([])) as fake:
        client = Client(f"{fake.url}/elsewhere")
        _, error = await client.ask()
    assert type(error) is errors.ModelError
    assert "base_url" in str(error)
    assert client.slept == []


async def test_a_prompt_over_the_window_teaches_the_window():
    async with FakeServer(Scripted([]), window=1000) as fake:
        client = Client(fake.url)
        _, error = await client.ask(asking("x" * 9000))
    assert isinstance(error, errors.TooLong)
    assert error.window == 1000
    assert client.slept == []


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("input length and `max_tokens` exceed context limit: 9 + 8 > 200,000, decrease", 200_000),
        ("This model's maximum context length is 32768 tokens.", 32_768),
        ("prompt is too long", None),
    ],
)
async def test_other_words_for_too_long(text, window):
    _, error, _, _ = await ask([Turn.fails(invalid(text))])
    assert isinstance(error, errors.TooLong)
    assert error.window == window


@pytest.mark.parametrize(
    ("text", "index"),
    [("messages.12.content.0: bad", 12), ("messages[3]: bad", 3), ("max_tokens: too many", None)],
)
async def test_a_refusal_names_its_message(text, index):
    _, error, slept, _ = await ask([Turn.fails(invalid(text))])
    assert isinstance(error, errors.BadRequest)
    assert (error.message_index, slept) == (index, [])


async def test_every_message_is_one_bounded_line():
    _, error, _, _ = await ask([Turn.fails(invalid("bad\n" * 5000))])
    assert "\n" not in str(error)
    assert len(str(error)) < 400


async def test_half_a_surrogate_pair_is_refused_here_with_its_message():
    async with FakeServer(Scripted([])) as fake:
        _, error = await Client(fake.url).ask(asking("\ud83d"))
    assert isinstance(error, errors.BadRequest)
    assert error.message_index == 0
    assert fake.requests == []


async def test_a_billing_refusal_is_not_retried():
    refusal = Turn.fails(ApiError(402, "billing_error", "Your credit balance is too low"))
    _, error, slept, _ = await ask([refusal])
    assert "credit balance" in str(error)
    assert slept == []
