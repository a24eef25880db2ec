"""The navigator as a provider: no model, no key, no network; the same request, the same answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence

from novacore import errors
from novacore.models.navigator.answer import answer, without_tools
from novacore.models.navigator.question import settled, take_apart
from novacore.models.navigator.results import findings_of
from novacore.models.navigator.stages import next_stage
from novacore.models.navigator.transcript import call_ids, transcript_of
from novacore.tokens import estimate
from novacore.types import (
    AnswerDone,
    Block,
    BlockDone,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Text,
    TextDelta,
    ToolResult,
    ToolUse,
    Usage,
)

WINDOW = 128_000
"""Tokens. The navigator itself has no limit; this keeps its sessions as others are."""
MAX_OUTPUT = 8_000
TOOLS = frozenset({"find", "search", "glob", "read"})


class NavigatorProvider:
    """Answers questions about code by searching, reading and quoting. It keeps no state."""

    name = "navigator"

    async def info(self, model: str) -> ModelInfo:
        """Window and features; there is one model, ``navigator``. Raises ModelError for others."""
        if model not in ("navigator", "navigator/navigator"):
            raise errors.ModelError(f"no model {model!r} here; the navigator has one: navigator")
        return ModelInfo(id="navigator", provider=self.name, window=WINDOW, max_output=MAX_OUTPUT)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """The next calls, or the answer, as deltas of whole lines."""
        blocks = await asyncio.to_thread(_next_blocks, request)
        for block in blocks:
            if isinstance(block, Text):
                for line in block.text.splitlines(keepends=True):
                    yield TextDelta(text=line)
            yield BlockDone(block=block)
        calls = any(isinstance(block, ToolUse) for block in blocks)
        yield AnswerDone(
            stop_reason="tool_use" if calls else "end_turn",
            usage=_usage(request, blocks),
            model="navigator",
        )

    async def aclose(self) -> None:
        """Nothing is open."""


def _next_blocks(request: ModelRequest) -> list[Block]:
    transcript = transcript_of(request.messages)
    offered = TOOLS & {tool.name for tool in request.tools}
    if not offered:
        return [Text(text=without_tools(transcript.question))]
    question = take_apart(transcript.question, before=transcript.before)
    findings = findings_of(transcript)
    if transcript.stages:
        question = settled(question, {found.name for found in findings.found if found.exact})
    step = next_stage(question, transcript, findings, offered)
    if step is None:
        return [Text(text=answer(question, findings))]
    stage, calls = step
    ids = call_ids(request.messages, stage, len(calls))
    return [
        ToolUse(id=id, name=call.name, input=call.input)
        for id, call in zip(ids, calls, strict=True)
    ]


def _usage(request: ModelRequest, blocks: Sequence[Block]) -> Usage:
    """Estimated, as nothing else is at hand: no tokens are ever counted by anyone."""
    tools = (f"{t.name} {t.description} {json.dumps(dict(t.schema))}" for t in request.tools)
    given = [*(text.text for text in request.system), *tools]
    given += [text for message in request.messages for text in _texts(message.blocks)]
    output = sum(map(estimate, _texts(blocks)))
    return Usage(uncached=sum(map(estimate, given)), output=output, estimated=True)


def _texts(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Text(text=text) | ToolResult(text=text):
                yield text
            case ToolUse(name=name, input=given):
                yield f"{name} {json.dumps(dict(given), default=str)}"
