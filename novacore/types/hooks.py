"""The requests and answers of the five hooks: frozen values, free of behaviour."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from novacore.types.events import Event, EventRange
from novacore.types.state import State, StatePatch

Mode = Literal["read-only", "ask", "accept-edits"]
Trigger = Literal[
    "soft", "hard", "plan_item", "manual", "cold", "plugin", "too_long", "model_switch"
]
Occasion = Literal["start", "message", "entity", "boundary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRef:
    """The session that a request belongs to: one plugin instance serves many."""

    id: str
    kind: Literal["new", "resumed", "forked", "subagent"] = "new"
    parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRange:
    """Lines ``start_line`` to ``end_line``, 1-based and inclusive."""

    start_line: int
    end_line: int


# --- spill ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SpillLimits:
    """Sizes above which outputs must leave the message. "Over" is strict."""

    result_chars: int = 50_000
    result_tokens: int = 12_500
    message_chars: int = 200_000
    message_tokens: int = 50_000
    log_tokens: int = 1_500
    """A log over this becomes an artifact at once."""
    log_shown_tokens: int = 800
    excerpt_chars: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """One tool result before it enters history, already cleaned of terminal noise."""

    id: str
    """The call's id, as the provider gave it."""
    text: str
    tokens: int
    tool: str
    call: Mapping[str, Any] = field(default_factory=dict)
    goal: str = ""
    images: int = 0
    is_error: bool = False
    exit_code: int | None = None
    exempt: bool = False
    """A read-back of something spilled: never spilled again. By the runtime's own record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpillRequest:
    """The outputs of one message from 1,500 tokens on; ``token_budget`` is what they may take."""

    session: SessionRef
    outputs: tuple[ToolOutput, ...]
    limits: SpillLimits
    token_budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpillItem:
    """Move this output to an artifact and show these of its lines; the host cuts the text."""

    output_id: str
    ranges: tuple[LineRange, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpillPlan:
    """What to spill, and what to show of it."""

    items: tuple[SpillItem, ...]
    reason: str = ""


# --- compact -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalCut:
    """The tail may begin at ``event``; it would have ``tail_tokens``."""

    event: str
    tail_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that stands for a span of events. Level 0 covers events; higher ones name passages."""

    text: str
    covers: EventRange
    level: int = 0
    made_from: tuple[EventRange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepEvent:
    """Keep an event's text across the boundary; the host renders it from the log."""

    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLines:
    """Keep these lines of a spilled output across the boundary."""

    output_id: str
    lines: LineRange


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryInfo:
    """A boundary that was made earlier in this session."""

    id: str
    plugin: str
    first: str
    last: str
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewItem:
    """One event of the present window and what it costs there."""

    event: Event
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactRequest:
    """A window that must shrink to ``target_tokens``."""

    session: SessionRef
    view: tuple[ViewItem, ...]
    state: State
    legal_cuts: tuple[LegalCut, ...]
    target_tokens: int
    model: str
    window: int
    used: int
    trigger: Trigger
    side_model: str = ""
    prefix_warm: bool = False
    boundaries: tuple[BoundaryInfo, ...] = ()
    focus: str = ""
    language: str = ""
    attempt: str = ""
    """Why the last proposal was refused; empty the first time."""
    deadline: float = 60.0
    events: Callable[[EventRange], Sequence[Event]] | None = None
    ask: Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]] | None = None
    """The model, asked at the end of the live prefix; None where there is no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """A proposal. ``cut`` is the event that the tail begins with; None lets the host cut."""

    cut: str | None = None
    patch: StatePatch | None = None
    passages: tuple[Passage, ...] = ()
    keep: tuple[KeepEvent | KeepLines, ...] = ()
    note: str = ""


# --- recall --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A question to memory: at most ``limit`` answers, ``max_tokens`` in all; seconds."""

    session: SessionRef
    occasion: Occasion
    text: str
    goal: str = ""
    plan_item: str = ""
    paths: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    branch: str = ""
    language: str = ""
    principal: str = ""
    roots: tuple[str, ...] = ()
    role: str = ""
    limit: int = 5
    max_tokens: int = 2_000
    deadline: float = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Something remembered: ``key`` is unique in its plugin, ``score`` orders its answers."""

    key: str
    text: str
    uri: str
    version: str = ""
    time: str = ""
    score: float = 0.0


# --- instructions --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsRequest:
    """The folders whose rules apply; ``previous`` maps a section's id to the version last sent."""

    session: SessionRef
    roots: tuple[str, ...]
    cwd: str
    user: str = ""
    """The user's own configuration folder; empty when there is none to look into."""
    touched: tuple[str, ...] = ()
    principal: str = ""
    role: str = ""
    previous: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Rules of one source. ``level`` orders: 0 is the user's global file, higher is nearer."""

    id: str
    text: str
    uri: str
    version: str
    level: int = 0
    warning: str = ""
    """What a person should know of this section (cut for size, broken import)."""


# --- tools ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInfo:
    """A tool that could be offered, and what its definition costs in tokens."""

    name: str
    tokens: int
    server: str = ""
    read_only: bool = True
    required: bool = False
    calls: int = 0
    found: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsRequest:
    """Every tool that may be offered in this epoch; dollars for ``spent`` and ``spend_limit``."""

    session: SessionRef
    tools: tuple[ToolInfo, ...]
    mode: Mode
    task: str
    token_budget: int
    spent: float = 0.0
    spend_limit: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """Names to keep, defer or hide; silence means keep."""

    keep: tuple[str, ...] = ()
    defer: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    reason: str = ""
