"""What passes between the session and a model provider."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from novacore.types.messages import Block, Message, Text

StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it. ``schema`` is a JSON Schema object and is never changed."""

    name: str
    description: str
    schema: Mapping[str, Any]
    read_only: bool = True
    required: bool = False
    """A required tool is never hidden or deferred."""
    server: str = ""
    """Empty for built-ins; else the plugin or MCP server that provides it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A cache mark: after ``system`` (message None), or on a block of a message."""

    message: int | None = None
    block: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A whole request, ready for a provider to put on the wire."""

    model: str
    system: tuple[Text, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    max_tokens: int
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call, normalised over providers.

    ``uncached + cache_write + cache_read`` is the whole input. Source: each provider's own
    counters; Anthropic's input excludes the cache, OpenAI's includes it.
    """

    uncached: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    """The part of ``cache_write`` with a one-hour life."""
    output: int = 0
    estimated: bool = False
    """The provider reported nothing; these are our estimates."""
    incomplete: bool = False
    """The stream ended before the final counters."""
    inconsistent: bool = False
    """The provider's counters contradict each other."""

    @property
    def occupancy(self) -> int:
        """Tokens of the window in use after the answer."""
        return self.uncached + self.cache_read + self.cache_write + self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What a model can do at this endpoint. ``window`` and ``max_output`` are tokens."""

    id: str
    provider: str
    window: int = 128_000
    max_output: int = 32_000
    images: bool = False
    caching: bool = False
    cache_seconds: float = 300.0
    window_source: Literal["endpoint", "configuration", "learned", "default"] = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta:
    """A piece of reasoning that may be shown."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDone:
    """A block of the answer is complete."""

    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDone:
    """The answer is complete; always the last event of a stream that did not fail.

    A stream that breaks after something was shown gives one too (``interrupted``, its usage
    incomplete), and then raises ``errors.StreamCut``.
    """

    stop_reason: StopReason
    usage: Usage
    model: str = ""


ModelEvent = TextDelta | ReasoningDelta | BlockDone | AnswerDone


class ModelProvider(Protocol):
    """A source of answers. Implementations import their SDK at the first request, in a thread."""

    name: str

    async def info(self, model: str) -> ModelInfo:
        """Window and features of ``model``; raises ``errors.ModelError`` for an unknown model."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer a request; raises a ``ModelError`` whose ``shown`` says if anything came."""
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens."""

    uncached: float
    cache_read: float
    cache_write: float
    cache_write_1h: float
    output: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCost:
    """Usage and price of one model call; ``purpose`` is ``turn`` or names the side call."""

    purpose: str
    model: str
    usage: Usage
    dollars: float | None
    extra: Mapping[str, Any] = field(default_factory=dict)
