"""The fake's cache and its record of what a request kept of the one before."""

from __future__ import annotations

import anthropic
import pytest

from fakellm import FakeServer, Scripted, Turn

MODEL = "claude-sonnet-5-5"
MARK = {"cache_control": {"type": "ephemeral"}}


def text(value, **more):
    return {"type": "text", "text": value, **more}


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


@pytest.fixture
async def asking():
    """A function that sends messages and gives the usage, with a clock that stands still."""
    now = [0.0]
    async with (
        FakeServer(Scripted([]), clock=lambda: now[0]) as fake,
        anthropic.AsyncAnthropic(api_key="k", base_url=fake.url) as client,
    ):

        async def ask(messages, **more):
            body = {"model": MODEL, "max_tokens": 10, "messages": messages, **more}
            return (await client.messages.create(**body)).usage

        yield ask, now, fake


async def test_a_marked_prefix_is_written_read_refreshed_and_expires(asking):
    ask, now, _ = asking
    system = [text("s" * 8000, **MARK)]
    first = await ask([user(text("a"))], system=system)
    assert (first.cache_creation_input_tokens, first.cache_read_input_tokens) == (2004, 0)
    for second in (290, 580):
        now[0] = second
        assert (await ask([user(text("b"))], system=system)).cache_read_input_tokens == 2004
    now[0] = 881
    assert (await ask([user(text("b"))], system=system)).cache_read_input_tokens == 0


async def test_one_changed_byte_or_no_mark_reads_nothing(asking):
    ask, _, _ = asking
    await ask([user(text("a"))], system=[text("s" * 8000, **MARK)])
    changed = await ask([user(text("a"))], system=[text("s" * 7999 + "t", **MARK)])
    assert changed.cache_read_input_tokens == 0
    unmarked = await ask([user(text("a"))], system=[text("s" * 8000)])
    assert unmarked.cache_read_input_tokens == 0


async def test_a_mark_sees_twenty_blocks_back(asking):
    ask, _, _ = asking

    def blocks(count):
        return [user(*[text(f"b{i}" * 900) for i in range(count - 1)], text("end" * 900, **MARK))]

    def extended(count):
        old = [text(f"b{i}" * 900) for i in range(4)] + [text("end" * 900)]
        new = [text(f"n{i}" * 900) for i in range(count - 1)] + [text("last" * 900, **MARK)]
        return [user(*old, *new)]

    assert (await ask(blocks(5))).cache_creation_input_tokens > 0
    assert (await ask(extended(20))).cache_read_input_tokens == 0
    await ask(blocks(5))
    assert (await ask(extended(19))).cache_read_input_tokens > 0


async def test_the_record_says_how_much_of_the_last_request_stayed(asking):
    ask, _, fake = asking
    await ask([user(text("one", **MARK))])
    await ask([user(text("one")), {"role": "assistant", "content": "k"}, user(text("two", **MARK))])
    await ask([user(text("ONE")), {"role": "assistant", "content": "k"}, user(text("two"))])
    first, appended, rewritten = fake.requests
    assert first.previous == 0
    assert appended.appended_only
    assert appended.previous == len(first.rendered())
    assert not rewritten.appended_only
    assert rewritten.unchanged < rewritten.previous
    assert appended.usage["output_tokens"] > 0


async def test_a_policy_computes_the_next_call_from_the_request():
    def follow(request):
        return Turn.call("read", path=request.last_text.split()[-1])

    tool = {"name": "read", "input_schema": {"type": "object"}}
    async with (
        FakeServer(Scripted([follow])) as fake,
        anthropic.AsyncAnthropic(api_key="k", base_url=fake.url) as client,
    ):
        reply = await client.messages.create(
            model=MODEL, max_tokens=9, tools=[tool], messages=[user(text("look at src/b.py"))]
        )
    assert reply.content[0].input == {"path": "src/b.py"}
    assert fake.requests[0].tool_names == ["read"]
