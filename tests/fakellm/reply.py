"""A turn as a message of the Messages API, whole or as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fakellm.policy import Block, Text, Thinking, ToolUse, Turn, new_id, with_ids
from fakellm.prompt_cache import CacheUse
from fakellm.signatures import sign_reply
from fakellm.sse import Event, chunks
from fakellm.tokens import Counter

Body = dict[str, Any]


def message(body: Body, turn: Turn, use: CacheUse, counter: Counter) -> Body:
    """The reply to ``body``: content with signed reasoning, stop reason, usage."""
    blocks = with_ids(turn, "toolu_")
    content = sign_reply(body, [_content(b) for b in blocks])
    usage = _usage(use)
    usage["output_tokens"] = sum(counter.value(b) for b in content)
    return {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": turn.stop_reason or ("tool_use" if turn.tool_uses else "end_turn"),
        "stop_sequence": None,
        "usage": usage,
    }


def events(reply: Body, turn: Turn) -> Iterator[Event]:
    """The event sequence of a streamed message, as the SDKs expect it."""
    usage = {**reply["usage"], "output_tokens": 1} if turn.reports_usage else {}
    start = {**reply, "content": [], "stop_reason": None, "usage": usage}
    yield _event("message_start", message=start)
    yield _event("ping")
    raws = [b.raw if isinstance(b, ToolUse) else None for b in turn.blocks]
    for i, (block, raw) in enumerate(zip(reply["content"], raws, strict=True)):
        empty, deltas = _deltas(block, raw, turn.chunk_chars)
        yield _event("content_block_start", index=i, content_block=empty)
        for delta in deltas:
            yield _event("content_block_delta", index=i, delta=delta)
        yield _event("content_block_stop", index=i)
    counters = {"output_tokens": reply["usage"]["output_tokens"]} if turn.reports_usage else {}
    delta = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage=counters)
    yield _event("message_stop")


def _event(kind: str, **data: Any) -> Event:
    return kind, {"type": kind, **data}


def _usage(use: CacheUse) -> Body:
    return {
        "input_tokens": use.uncached,
        "cache_read_input_tokens": use.read,
        "cache_creation_input_tokens": use.written_5m + use.written_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": use.written_5m,
            "ephemeral_1h_input_tokens": use.written_1h,
        },
        "output_tokens": 0,
        "service_tier": "standard",
    }


def _content(block: Block) -> Body:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, redacted=True):
            return {"type": "redacted_thinking", "data": text}
        case Thinking(text):
            return {"type": "thinking", "thinking": text, "signature": ""}
        case ToolUse():
            use = {"id": block.id, "name": block.name, "input": dict(block.input)}
            return {"type": "tool_use", **use}


def _deltas(block: Body, raw: str | None, size: int) -> tuple[Body, list[Body]]:
    match block["type"]:
        case "text":
            parts = chunks(block["text"], size)
            return {**block, "text": ""}, [{"type": "text_delta", "text": t} for t in parts]
        case "thinking":
            parts = chunks(block["thinking"], size)
            thoughts = [{"type": "thinking_delta", "thinking": t} for t in parts]
            signature = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*thoughts, signature]
        case "tool_use":
            text = json.dumps(block["input"], ensure_ascii=False) if raw is None else raw
            parts = chunks(text, size)
            deltas = [{"type": "input_json_delta", "partial_json": t} for t in parts]
            return {**block, "input": {}}, deltas
        case _:
            return block, []
