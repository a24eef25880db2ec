"""The fake binds reasoning blocks to their model and to everything before them."""

from __future__ import annotations

import anthropic
import pytest

from fakellm import FakeServer, Scripted, Text, Thinking, Turn

MODEL = "claude-sonnet-5-5"
MARK = {"cache_control": {"type": "ephemeral"}}
THINKS = Turn((Thinking("hm"), Thinking("secret", redacted=True), Text("yes")))


@pytest.fixture
async def told():
    """A conversation of one answer with reasoning, and a function that sends it on."""
    async with (
        FakeServer(Scripted([THINKS])) as fake,
        anthropic.AsyncAnthropic(api_key="k", base_url=fake.url, max_retries=0) as client,
    ):
        system = [{"type": "text", "text": "Be brief."}]
        messages = [{"role": "user", "content": "one"}]
        body = {"model": MODEL, "max_tokens": 9, "system": system, "messages": messages}
        reply = await client.messages.create(**body)
        content = [block.model_dump(exclude_none=True) for block in reply.content]
        messages += [{"role": "assistant", "content": content}, {"role": "user", "content": "two"}]

        async def send(**change):
            return await client.messages.create(**{**body, **change})

        yield body, send


async def test_the_same_prefix_passes_whatever_the_marks(told):
    body, send = told
    await send()
    await send(system=[{**body["system"][0], **MARK}])


async def test_a_changed_prefix_model_or_text_is_refused_with_its_place(told):
    body, send = told
    other = [{"role": "user", "content": "ONE"}, *body["messages"][1:]]
    thinking, *rest = body["messages"][1]["content"]
    forged = [{**thinking, "thinking": "hm!"}, *rest]
    hidden = [rest[0] | {"data": "00.00"}, *rest[1:]]
    first, last = body["messages"][0], body["messages"][2]
    for change in (
        {"messages": other},
        {"model": "claude-opus-5-5"},
        {"system": "Be long."},
        {"messages": [first, {"role": "assistant", "content": forged}, last]},
        {"messages": [first, {"role": "assistant", "content": hidden}, last]},
    ):
        with pytest.raises(anthropic.BadRequestError, match=r"messages\.1\.content\.0: Invalid"):
            await send(**change)


async def test_a_dropped_earlier_block_breaks_the_later_one(told):
    body, send = told
    first, answer, last = body["messages"]
    shorter = {"role": "assistant", "content": answer["content"][1:]}
    with pytest.raises(anthropic.BadRequestError, match=r"`redacted_thinking` block"):
        await send(messages=[first, shorter, last])
