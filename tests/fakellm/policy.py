"""What the fake answers: a policy maps a request to a turn."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from fakellm.errors import ApiError
from fakellm.records import Request


@dataclass(frozen=True)
class Text:
    """A text block of the reply."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """A reasoning block; the server signs it. ``redacted`` hides its text from the client."""

    text: str
    redacted: bool = False


@dataclass(frozen=True)
class ToolUse:
    """A call of one of the client's tools. ``raw`` replaces the JSON of ``input`` on the wire."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    raw: str | None = None


Block = Text | Thinking | ToolUse


@dataclass(frozen=True)
class Fault:
    """How a turn goes wrong.

    ``http`` replies with ``error`` instead of the turn. ``stream_error`` (an overload event),
    ``disconnect``, ``end`` (the stream stops politely, unfinished) and ``stall`` (``seconds`` of
    silence, then on) strike after ``after_events`` SSE events; None is before any byte.
    """

    kind: Literal["http", "stream_error", "disconnect", "end", "stall"]
    error: ApiError | None = None
    after_events: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Turn:
    """One reply of the model. ``reports_usage=False`` leaves the counters out, as some do."""

    blocks: tuple[Block, ...]
    stop_reason: str | None = None
    fault: Fault | None = None
    chunk_chars: int = 200
    reports_usage: bool = True

    @classmethod
    def say(cls, text: str) -> Turn:
        """A turn of plain text."""
        return cls((Text(text),))

    @classmethod
    def call(cls, name: str, text: str = "", /, **tool_input: Any) -> Turn:
        """A turn that calls one tool, with optional text before the call."""
        use = ToolUse(name, tool_input)
        return cls((Text(text), use) if text else (use,))

    @classmethod
    def fails(cls, error: ApiError) -> Turn:
        """An HTTP error instead of a reply."""
        return cls((), fault=Fault("http", error))

    @property
    def tool_uses(self) -> list[ToolUse]:
        """The calls of this turn, in order."""
        return [b for b in self.blocks if isinstance(b, ToolUse)]


class Policy(Protocol):
    """Decides the reply to a request; it may compute it from what the request says."""

    def __call__(self, request: Request) -> Turn:
        """The turn for ``request``."""
        ...


Step = Turn | Callable[[Request], Turn]


class Scripted:
    """Replies with the given steps in order, then ends every turn with plain text.

    A step is a turn, or a function that computes one from the request. ``aside`` (when given) is
    asked first; a turn that it returns uses up no step, which keeps side calls out of the script.
    """

    def __init__(
        self, steps: Iterable[Step], aside: Callable[[Request], Turn | None] | None = None
    ) -> None:
        self.steps = list(steps)
        self.aside = aside
        self.taken = 0

    def __call__(self, request: Request) -> Turn:
        """The next step's turn."""
        if self.aside and (turn := self.aside(request)) is not None:
            return turn
        if self.taken >= len(self.steps):
            return Turn.say("Done.")
        step = self.steps[self.taken]
        self.taken += 1
        return step if isinstance(step, Turn) else step(request)


_ids = itertools.count(1)


def new_id(prefix: str) -> str:
    """A unique id in the provider's style, in order within a run."""
    return f"{prefix}{next(_ids):024d}"


def with_ids(turn: Turn, prefix: str) -> list[Block]:
    """The blocks of ``turn`` with an id on every tool call."""
    return [
        ToolUse(b.name, b.input, b.id or new_id(prefix), b.raw) if isinstance(b, ToolUse) else b
        for b in turn.blocks
    ]
