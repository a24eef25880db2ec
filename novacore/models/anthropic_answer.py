"""The events of one streamed Anthropic answer, folded into neutral events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from novacore.models import usage
from novacore.types import (
    INVALID_JSON,
    JSON,
    AnswerDone,
    Block,
    BlockDone,
    ModelEvent,
    Reasoning,
    ReasoningDelta,
    StopReason,
    Text,
    TextDelta,
    ToolUse,
    Usage,
)

if TYPE_CHECKING:
    from anthropic.types import RawMessageStreamEvent

STOP_REASONS: Mapping[str, StopReason] = {
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
}


class Answer:
    """One answer while it comes in. ``shown``: something of it was given out already."""

    def __init__(self, request: JSON) -> None:
        self.shown = False
        self.finished = False
        self._request = request
        self._block: JSON = {}
        self._parts: list[str] = []
        self._counters: list[Mapping[str, Any]] = []
        self._model = str(request["model"])
        self._stop: StopReason = "end_turn"
        self._written: list[str] = []

    def take(self, event: RawMessageStreamEvent) -> Iterator[ModelEvent]:
        """What one wire event comes to; most give none or one."""
        for given in self._fold(event):
            self.shown = True
            yield given

    def done(self) -> AnswerDone:
        """The end of a whole answer."""
        return AnswerDone(stop_reason=self._stop, usage=self._usage(), model=self._model)

    def cut(self) -> Iterator[ModelEvent]:
        """What there is of an answer that broke off: its open text, then ``interrupted``.

        Half a call is never given out: it could not be run. Half a reasoning block could not be
        sent back.
        """
        if self._block.get("type") == "text" and (text := "".join(self._parts)).strip():
            yield BlockDone(block=Text(text=text))
        yield AnswerDone(stop_reason="interrupted", usage=self._usage(), model=self._model)

    def _fold(self, event: RawMessageStreamEvent) -> Iterator[ModelEvent]:
        match event.type:
            case "message_start":
                self._model = event.message.model or self._model
                self._count(event.message.usage)
            case "content_block_start":
                self._block = _plain(event.content_block)
                self._parts = []
            case "content_block_delta":
                yield from self._delta(event.delta)
            case "content_block_stop":
                if block := self._complete():
                    yield BlockDone(block=block)
                self._block, self._parts = {}, []
            case "message_delta":
                self._stop = STOP_REASONS.get(event.delta.stop_reason or "", "end_turn")
                self._count(event.usage)
            case "message_stop":
                self.finished = True

    def _delta(self, delta: Any) -> Iterator[ModelEvent]:
        match delta.type:
            case "text_delta":
                self._add(delta.text)
                yield TextDelta(text=delta.text)
            case "thinking_delta":
                self._add(delta.thinking)
                yield ReasoningDelta(text=delta.thinking)
            case "input_json_delta":
                self._add(delta.partial_json)
            case "signature_delta":
                self._block["signature"] = delta.signature

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._written.append(text)

    def _count(self, counters: Any) -> None:
        # Gateways leave the counters out, though the SDK's types say that they are there.
        if counters is not None:
            self._counters.append(_plain(counters))

    def _complete(self) -> Block | None:
        """The block that has just ended; None for an empty text, which no request may carry."""
        text = "".join(self._parts)
        match self._block.get("type"):
            case "text":
                text = text or str(self._block.get("text") or "")
                return Text(text=text) if text.strip() else None
            case "tool_use":
                given = tool_input(text) if text else self._block.get("input") or {}
                return ToolUse(id=self._block["id"], name=self._block["name"], input=given)
            case "thinking":
                return Reasoning(data={**self._block, "thinking": text})
            case _:
                return Reasoning(data=self._block)

    def _usage(self) -> Usage:
        counted = usage.anthropic(self._counters, complete=self.finished)
        if counted is not None:
            return counted
        return usage.estimated(
            json.dumps(self._request, ensure_ascii=False),
            "".join(self._written),
            complete=self.finished,
        )


def _plain(model: Any) -> JSON:
    """An SDK object as the JSON that it came as."""
    plain: JSON = model.model_dump(mode="json", exclude_unset=True, warnings=False)
    return plain


def tool_input(text: str) -> Mapping[str, Any]:
    """A call's input; a text that is no JSON object comes back under ``INVALID_JSON``."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return {INVALID_JSON: text}
    return value if isinstance(value, dict) else {INVALID_JSON: text}


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
