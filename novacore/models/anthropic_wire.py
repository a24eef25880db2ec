"""A neutral request as the body of an Anthropic request: equal requests give equal bytes.

Tool definitions are copied, never touched. Cache marks are placed on shallow copies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from novacore import errors
from novacore.types import (
    JSON,
    Block,
    Image,
    Message,
    ModelRequest,
    Reasoning,
    Text,
    ToolResult,
    ToolSpec,
    ToolUse,
)

CACHE_MARK = {"type": "ephemeral"}


Made = dict[int, tuple[Block, JSON]]
"""What blocks became, by identity; the block is held so that no other can take its place."""


def body(request: ModelRequest, made: Made | None = None) -> JSON:
    """The JSON body of a streamed request, its keys always in the same order.

    ``made`` is filled with what the blocks became, for the next request with the same tools: of a
    long session nearly all of it was made for the request before. Raises ``errors.BadRequest`` for
    a text that no request can carry (a lone surrogate).
    """
    schemas = {tool.name: tool.schema for tool in request.tools}
    system = [_checked(_text(block.text), "system") for block in request.system]
    before = dict(made or {})
    now: Made = {} if made is None else made
    now.clear()
    messages = [
        {"role": message.role, "content": _content(message, index, schemas, before, now)}
        for index, message in enumerate(request.messages)
    ]
    _place_marks(request, system, messages)
    return {
        "model": request.model,
        "max_tokens": request.max_tokens,
        **({"system": system} if system else {}),
        **({"tools": [_tool(tool) for tool in request.tools]} if request.tools else {}),
        "messages": messages,
        "stream": True,
    }


def _tool(tool: ToolSpec) -> JSON:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}


def _content(
    message: Message,
    index: int,
    schemas: Mapping[str, Mapping[str, Any]],
    before: Made,
    now: Made,
) -> list[JSON]:
    made: list[JSON] = []
    for block in message.blocks:
        known = before.get(id(block))
        wire = known[1] if known else _checked(_block(block, schemas), f"messages.{index}", index)
        now[id(block)] = (block, wire)
        made.append(wire)
    return made


def _block(block: Block, schemas: Mapping[str, Mapping[str, Any]]) -> JSON:
    match block:
        case Text():
            return _text(block.text)
        case Image():
            return _image(block)
        case ToolUse():
            ordered = _ordered(block.input, schemas.get(block.name, {}))
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": ordered}
        case ToolResult():
            return _tool_result(block)
        case Reasoning():
            return {key: block.data[key] for key in sorted(block.data)}


def _text(text: str) -> JSON:
    return {"type": "text", "text": text}


def _image(image: Image) -> JSON:
    if not image.data:
        return _text(f"[image not at hand: {image.media_type}, {image.width} x {image.height}]")
    source = {"type": "base64", "media_type": image.media_type, "data": image.data}
    return {"type": "image", "source": source}


def _tool_result(result: ToolResult) -> JSON:
    content: Any = result.text
    if result.images:
        texts = [_text(result.text)] if result.text else []
        content = [*texts, *map(_image, result.images)]
    error = {"is_error": True} if result.is_error else {}
    return {
        "type": "tool_result",
        "tool_use_id": result.tool_use_id,
        "content": content,
        **error,
    }


def _ordered(value: Any, schema: Mapping[str, Any]) -> Any:
    """``value`` with its keys in the schema's order, then by name.

    A log or a fork may have changed the order, and the cache compares bytes. The schema's own
    order is kept since a model that sees its past calls writes the next one alike.
    """
    if isinstance(value, dict | Mapping):
        known = schema.get("properties", {})
        rank = {name: i for i, name in enumerate(known)}
        keys = sorted(value, key=lambda key: (rank.get(key, len(rank)), key))
        return {key: _ordered(value[key], known.get(key, {})) for key in keys}
    if isinstance(value, list | tuple):
        return [_ordered(item, schema.get("items", {})) for item in value]
    return value


def _place_marks(request: ModelRequest, system: list[JSON], messages: list[JSON]) -> None:
    """Put a mark on each named block, or on the nearest one before it that may carry one."""
    for mark in request.marks:
        blocks = system if mark.message is None else messages[mark.message]["content"]
        last = len(blocks) - 1 if mark.message is None else mark.block
        if (place := _markable(blocks, last)) is not None:
            blocks[place] = {**blocks[place], "cache_control": CACHE_MARK}


def _markable(blocks: Sequence[JSON], last: int) -> int | None:
    return next((i for i in range(last, -1, -1) if _may_carry_mark(blocks[i])), None)


def _may_carry_mark(block: JSON) -> bool:
    match block["type"]:
        case "text":
            return bool(block["text"].strip())
        case "tool_result":
            return bool(block["content"])
        case "image" | "tool_use":
            return True
        case _:
            return False


def _checked(block: JSON, place: str, message_index: int | None = None) -> JSON:
    try:
        json.dumps(block, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise errors.BadRequest(
            f"{place} holds half a surrogate pair; replace it and send again",
            message_index=message_index,
        ) from None
    return block
