"""One call of the model: streams the answer, keeps what came, and maps what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, cast

from novacore.errors import ModelError
from novacore.session.parts import Emit
from novacore.types import (
    AnswerDone,
    Block,
    BlockDone,
    ModelEvent,
    ModelProvider,
    ModelRequest,
    Reasoning,
    ReasoningDelta,
    Text,
    TextDelta,
    ToolUse,
    Usage,
)


@dataclass(slots=True)
class Reply:
    """An answer, complete or as far as it came. ``error`` says why it is not complete."""

    blocks: list[Block] = field(default_factory=list)
    done: AnswerDone | None = None
    error: ModelError | None = None
    partial: str = ""
    """Text of a block that did not end."""

    @property
    def calls(self) -> list[ToolUse]:
        """The tool calls, in order."""
        return [block for block in self.blocks if isinstance(block, ToolUse)]

    @property
    def reasoning(self) -> list[dict[str, Any]]:
        """Reasoning blocks with their place among the blocks."""
        kept = [b for b in self.blocks if isinstance(b, Reasoning) or _plain(b) is not None]
        return [
            {"index": index, "data": dict(block.data)}
            for index, block in enumerate(kept)
            if isinstance(block, Reasoning)
        ]

    @property
    def recorded(self) -> list[dict[str, Any]]:
        """The blocks as they stand in the log: provider-neutral, without reasoning."""
        rows = [row for block in self.blocks if (row := _plain(block)) is not None]
        if self.partial.strip():
            rows.append({"type": "text", "text": self.partial})
        return rows


async def answer(provider: ModelProvider, request: ModelRequest, emit: Emit, into: Reply) -> None:
    """Stream an answer ``into`` the given place, so that a cancel loses nothing that came.

    A ModelError ends it and is kept in ``into.error``; cancellation passes through.
    """
    # A stream that is only dropped keeps its connection, and the provider keeps writing.
    stream = cast(AsyncGenerator[ModelEvent], provider.stream(request))
    try:
        async with aclosing(stream) as events:
            async for event in events:
                _take(event, into, emit)
                await asyncio.sleep(0)
    except ModelError as error:
        into.error = error


def _take(event: ModelEvent, into: Reply, emit: Emit) -> None:
    match event:
        case TextDelta(text=text):
            into.partial += text
            emit("text", {"delta": text})
        case ReasoningDelta(text=text):
            emit("thought", {"delta": text})
        case BlockDone(block=block):
            into.partial = "" if isinstance(block, Text) else into.partial
            into.blocks.append(block)
        case AnswerDone():
            into.done = event


def usage_of(reply: Reply, estimated_input: int, count: Any) -> Usage:
    """The provider's usage, or an estimate that says so."""
    if reply.done is not None:
        return reply.done.usage
    output = sum(count(str(row)) for row in reply.recorded)
    return Usage(uncached=estimated_input, output=max(1, output), estimated=True, incomplete=True)


def _plain(block: Block) -> dict[str, Any] | None:
    match block:
        case Text(text=text) if text.strip():
            return {"type": "text", "text": text}
        case ToolUse(id=id, name=name, input=arguments):
            return {"type": "tool_use", "id": id, "name": name, "input": dict(arguments)}
        case _:
            return None
