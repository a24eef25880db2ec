"""The fake as a process of its own, and its chat endpoint."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import aiohttp
import pytest

from fakellm import FakeServer, Scripted, Turn
from fakellm.script import turns

TESTS = Path(__file__).resolve().parents[1]
SCRIPT = [
    {"say": "hello"},
    {"call": "read", "input": {"path": "a.py"}, "text": "Let me look."},
    {"error": "rate_limited", "retry_after": 2},
]
HEADERS = {"x-api-key": "right", "anthropic-version": "2023-06-01"}
BODY = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}


async def test_it_serves_a_script_and_shows_what_it_was_sent(tmp_path):
    script = tmp_path / "turns.json"
    script.write_text(json.dumps(SCRIPT))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fakellm", "--script", str(script), "--key", "right"),
        stdout=asyncio.subprocess.PIPE,
        cwd=TESTS,
    )
    try:
        url = (await process.stdout.readline()).decode().strip()
        async with aiohttp.ClientSession(url, headers=HEADERS) as session:
            replies = [await post(session, BODY) for _ in range(4)]
            wrong = await session.post("/v1/messages", json=BODY, headers={"x-api-key": "wrong"})
            seen = await (await session.get("/fake/requests")).json()
    finally:
        process.terminate()
        await process.wait()
    assert [status for status, _ in replies] == [200, 200, 429, 200]
    assert replies[0][1]["content"] == [{"type": "text", "text": "hello"}]
    assert replies[1][1]["content"][1]["input"] == {"path": "a.py"}
    assert replies[1][1]["stop_reason"] == "tool_use"
    assert wrong.status == 401
    assert [row["body"]["messages"] for row in seen] == [BODY["messages"]] * 4


async def post(session, body):
    async with session.post("/v1/messages", json=body) as response:
        return response.status, await response.json()


@pytest.mark.parametrize(
    "row", [{}, {"error": "nonsense"}, {"blocks": [{"image": 1}]}, {"saying": "x"}]
)
def test_a_script_that_is_not_understood_names_its_turn(row):
    with pytest.raises(ValueError, match="turn 1"):
        turns([{"say": "fine"}, row])


async def test_chat_pairs_tools_counts_and_caches():
    call = Turn.call("read", "hi", path="a")
    async with FakeServer(Scripted([call, Turn.say("b")])) as fake, aiohttp.ClientSession() as http:
        url = f"{fake.url}/v1/chat/completions"
        body = {"model": "gpt-6", "messages": [{"role": "user", "content": "x" * 9000}]}
        first = await (await http.post(url, json=body)).json()
        message = first["choices"][0]["message"]
        answered = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "k"}
        more = {**body, "stream": True, "messages": [*body["messages"], message, answered]}
        lines = (await (await http.post(url, json=more)).text()).split("\n\n")
        unpaired = await http.post(url, json={**body, "messages": [*body["messages"], message]})
        refused = (await unpaired.json())["error"]["message"]
    usage = json.loads(lines[-3].removeprefix("data: "))["usage"]
    assert lines[-2] == "data: [DONE]"
    assert usage["prompt_tokens_details"]["cached_tokens"] >= 1024
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert "did not have response messages" in refused
