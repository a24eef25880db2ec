"""POST /v1/chat/completions: pairing rules, usage, automatic caching (OpenAI texts)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from aiohttp import web

from fakellm.core import Core
from fakellm.errors import ApiError, invalid
from fakellm.policy import Text, ToolUse, Turn, new_id, with_ids
from fakellm.prompt import canonical, common_prefix
from fakellm.sse import Event, chunks, send_events

Body = dict[str, Any]

# OpenAI docs: prefixes from 1,024 tokens on, in steps of 128.
CACHE_MIN, CACHE_STEP = 1024, 128
REMEMBERED = 8


class ChatApi:
    """The chat completions endpoint over a :class:`Core`."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._seen: list[bytes] = []

    def routes(self) -> list[web.RouteDef]:
        """What the server mounts."""
        return [web.post("/v1/chat/completions", self.chat)]

    async def chat(self, http: web.Request) -> web.StreamResponse:
        """One completion, streamed when the body says so."""
        try:
            return await self._chat(http)
        except ApiError as error:
            return _refusal(error)

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        body: Body = await http.json()
        check_chat(body.get("messages") or [])
        window = self.core.window_of(str(body.get("model")))
        total, cached = self._input(body)
        request = self.core.record("chat", http, body, total)
        if total > window:
            raise _over(total, window)
        turn = await self.core.answer(http, request)
        done = _completion(body, turn)
        output = self.core.counter.value(done["message"])
        request.usage = {
            "prompt_tokens": total,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens": output,
            "total_tokens": total + output,
        }
        if not body.get("stream"):
            return web.json_response(_whole(body, done, request.usage))
        error_event: Event = (None, {"error": {"message": "Overloaded", "type": "server_error"}})
        return await send_events(
            http, _events(body, done, turn, request.usage), turn.fault, error_event, {}
        )

    def _input(self, body: Body) -> tuple[int, int]:
        """Input tokens, and the part of them that an earlier request's prefix covers."""
        parts = [*map(canonical, body.get("tools") or []), *map(canonical, body["messages"])]
        total = sum(self.core.counter.text(p) for p in parts)
        text = "\0".join((str(body.get("model")), *parts)).encode()
        shared = max((common_prefix(text, old) for old in self._seen), default=0)
        cached = int(total * shared / len(text)) // CACHE_STEP * CACHE_STEP
        self._seen = [*self._seen[1 - REMEMBERED :], text]
        return total, cached if cached >= CACHE_MIN else 0


def check_chat(messages: list[Body]) -> None:
    """Every tool_call is answered by the tool messages right after it, and only those."""
    if not messages:
        raise invalid("[] is too short - 'messages'")
    unanswered: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in unanswered:
                raise invalid(
                    "Invalid parameter: messages with role 'tool' must be a response to a "
                    "preceeding message with 'tool_calls'."
                )
            unanswered.remove(message["tool_call_id"])
            continue
        if unanswered:
            break
        unanswered = [c["id"] for c in message.get("tool_calls") or []]
    if unanswered:
        raise invalid(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            f"{', '.join(unanswered)}"
        )


def _over(total: int, window: int) -> ApiError:
    return invalid(
        f"Input tokens exceed the configured limit of {window} tokens. Your messages resulted in "
        f"{total} tokens. Please reduce the length of the messages.",
        "context_length_exceeded",
    )


def _completion(body: Body, turn: Turn) -> Body:
    text = "".join(b.text for b in turn.blocks if isinstance(b, Text))
    calls = [_call(b) for b in with_ids(turn, "call_") if isinstance(b, ToolUse)]
    message = {"role": "assistant", "content": text or None}
    return {
        "message": {**message, **({"tool_calls": calls} if calls else {})},
        "finish_reason": turn.stop_reason or ("tool_calls" if calls else "stop"),
    }


def _call(use: ToolUse) -> Body:
    arguments = json.dumps(dict(use.input)) if use.raw is None else use.raw
    return {
        "id": use.id,
        "type": "function",
        "function": {"name": use.name, "arguments": arguments},
    }


def _whole(body: Body, done: Body, usage: Body) -> Body:
    head = {"id": new_id("chatcmpl-"), "object": "chat.completion", "model": body.get("model")}
    return {**head, "choices": [{"index": 0, **done}], "usage": usage}


def _events(body: Body, done: Body, turn: Turn, usage: Body) -> Iterator[Event]:
    chunk = {
        "id": new_id("chatcmpl-"),
        "object": "chat.completion.chunk",
        "model": body.get("model"),
    }

    def event(delta: Body, finish: str | None = None) -> Event:
        return None, {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield event({"role": "assistant", "content": ""})
    for text in chunks(done["message"]["content"] or "", turn.chunk_chars):
        yield event({"content": text})
    for i, call in enumerate(done["message"].get("tool_calls", [])):
        yield event({"tool_calls": [{"index": i, **call}]})
    yield event({}, done["finish_reason"])
    if turn.reports_usage:
        yield None, {**chunk, "choices": [], "usage": usage}
    yield None, "[DONE]"


def _refusal(error: ApiError) -> web.Response:
    detail = {"message": error.message, "type": error.type, "param": None, "code": error.code}
    return web.json_response({"error": detail}, status=error.status, headers=error.headers)
