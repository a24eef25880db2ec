"""The fake refuses what a provider refuses, through the real SDK; and what the wire rules find."""

from __future__ import annotations

import base64
import copy
import importlib.util
import json
import struct

import anthropic
import pytest

from fakellm import FakeServer, Scripted

MODEL = "claude-sonnet-5-5"
TOOL = {"name": "read", "description": "r", "input_schema": {"type": "object", "properties": {}}}
MARK = {"cache_control": {"type": "ephemeral"}}


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def text(value="hi", **more):
    return {"type": "text", "text": value, **more}


def use(call_id="toolu_1"):
    block = {"type": "tool_use", "id": call_id, "name": "read", "input": {}}
    return {"role": "assistant", "content": [block]}


def result(call_id="toolu_1", content="ok"):
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def good():
    return {
        "model": MODEL,
        "max_tokens": 10,
        "system": [text("Be brief.")],
        "tools": [copy.deepcopy(TOOL)],
        "messages": [user(text()), use(), user(result(), text("go on"))],
    }


async def refusal(body, **settings):
    async with (
        FakeServer(Scripted([]), **settings) as fake,
        anthropic.AsyncAnthropic(api_key="k", base_url=fake.url, max_retries=0) as client,
    ):
        with pytest.raises(anthropic.APIStatusError) as caught:
            await client.messages.create(**body)
        return caught.value


async def test_a_sound_request_passes():
    async with (
        FakeServer(Scripted([])) as fake,
        anthropic.AsyncAnthropic(api_key="k", base_url=fake.url) as client,
    ):
        message = await client.messages.create(**good())
    assert message.content[0].text == "Done."
    assert message.stop_reason == "end_turn"
    assert fake.requests[0].tool_results == {"toolu_1": "ok"}
    assert fake.requests[0].last_text == "go on"


def png(width, height):
    header = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", width, height)
    return image(base64.b64encode(header + b"\0" * 40).decode(), [width, height])


def image(data, px=(1, 1)):
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return {"type": "image", "source": source, "px": list(px), "data_len": len(data)}


BREAKS = {
    "no messages": lambda b: b.update(messages=[]),
    "first is assistant": lambda b: b["messages"].insert(0, {"role": "assistant", "content": "x"}),
    "roles repeat": lambda b: b["messages"].insert(1, user(text())),
    "long tool name": lambda b: b["tools"][0].update(name="x" * 65),
    "tool name with a dot": lambda b: b["tools"][0].update(name="a.b"),
    "double tool": lambda b: b["tools"].append(copy.deepcopy(TOOL)),
    "no content": lambda b: b["messages"][2].update(content=[]),
    "no result": lambda b: b["messages"][2]["content"].pop(0),
    "orphan result": lambda b: b["messages"][0]["content"].append(result("toolu_9")),
    "double result": lambda b: b["messages"][2]["content"].insert(0, result()),
    "double use": lambda b: b["messages"][1]["content"].append(use()["content"][0]),
    "use by the user": lambda b: b["messages"][0]["content"].append(use("toolu_2")["content"][0]),
    "late result": lambda b: b["messages"][2]["content"].reverse(),
    "blank text": lambda b: b["messages"][0]["content"].append(text(" \n")),
    "blank inside a result": lambda b: b["messages"][2].update(
        content=[result(content=[text("")])]
    ),
    "mark on blank text": lambda b: b["messages"][0]["content"].append(text("", **MARK)),
    "mark on blank system": lambda b: b["system"].append(text("", **MARK)),
    "five marks": lambda b: b.update(system=[text(str(i), **MARK) for i in range(5)]),
    "unsigned thinking": lambda b: b["messages"][1]["content"].insert(
        0, {"type": "thinking", "thinking": "hm", "signature": ""}
    ),
    "mark on thinking": lambda b: b["messages"][1]["content"].insert(
        0, {"type": "thinking", "thinking": "hm", "signature": "s", **MARK}
    ),
    "large image": lambda b: b["messages"][0]["content"].append(png(2001, 10)),
    "empty image": lambda b: b["messages"][0]["content"].append(image("")),
    "lone surrogate": lambda b: b["messages"][0]["content"].append(text("\ud83d")),
}


@pytest.mark.parametrize("name", BREAKS)
async def test_what_the_wire_rules_find_is_refused(name, shared):
    spec = importlib.util.spec_from_file_location(
        "wire_rules", shared("cases", "agent", "wire_rules.py")
    )
    wire_rules = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wire_rules)
    body = good()
    BREAKS[name](body)
    assert wire_rules.check(body), "the break is none"
    status, error = await post_raw(json.dumps(body).encode())
    assert status == 400, error
    assert error["error"]["type"] == "invalid_request_error"


async def post_raw(data):
    """Post bytes as they are: the SDK itself would not send all of these."""
    import aiohttp

    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    async with (
        FakeServer(Scripted([])) as fake,
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{fake.url}/v1/messages", data=data) as response,
    ):
        return response.status, await response.json()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"messages": [user(text()), use()]}, "messages.1: `tool_use` ids were found without"),
        ({"messages": [user(result())]}, "messages.0.content.0: unexpected `tool_use_id`"),
        ({"messages": [user(text()), {"role": "assistant", "content": "x"}]}, "prefill"),
        ({"extra_body": {"nope": 1}}, "nope: Extra inputs are not permitted"),
        ({"system": [text(str(i), **MARK) for i in range(5)]}, "A maximum of 4 blocks"),
    ],
)
async def test_refusals_name_the_place(change, words):
    error = await refusal({**good(), **change})
    assert error.status_code == 400
    assert words in error.api_message


async def test_unknown_model_wrong_key_and_window():
    unknown = await refusal(good(), models={"other": 1000})
    assert (unknown.status_code, unknown.type) == (404, "not_found_error")
    wrong = await refusal(good(), keys=frozenset({"right"}))
    assert (wrong.status_code, wrong.type) == (401, "authentication_error")
    long = await refusal({**good(), "messages": [user(text("x" * 9000))]}, window=1000)
    assert "tokens > 1000 maximum" in long.api_message
    both = await refusal({**good(), "max_tokens": 990}, window=1000, strict_max_tokens=True)
    assert "exceed context limit" in both.api_message


async def test_counting_and_the_model_card():
    async with (
        FakeServer(Scripted([]), window=123_000) as fake,
        anthropic.AsyncAnthropic(api_key="k", base_url=fake.url) as client,
    ):
        counted = await client.messages.count_tokens(
            model=MODEL, messages=[{"role": "user", "content": "x" * 400}]
        )
        card = await client.models.retrieve(MODEL)
    assert counted.input_tokens == 104
    assert (card.max_input_tokens, card.max_tokens) == (123_000, 64_000)
    assert fake.requests == []
