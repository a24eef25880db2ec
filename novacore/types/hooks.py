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
    """By the plain estimate, the same with every model."""
    tool: str
    call: Mapping[str, Any] = field(default_factory=dict)
    """The call's input, such as ``command``."""
    goal: str = ""
    """What the session is about, in the user's words."""
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
    """Words of the plugin about what is shown, at most 2,000 characters."""


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
    """The history of the present epoch, oldest first, without its head."""
    state: State
    """What the host carries over whatever is proposed."""
    legal_cuts: tuple[LegalCut, ...]
    target_tokens: int
    """Of the whole window after the compaction, tools and system text included."""
    model: str
    window: int
    used: int
    trigger: Trigger
    side_model: str = ""
    """Model for side calls; not filled in 0.1."""
    prefix_warm: bool = False
    """Whether the provider's cache still holds the prefix; not filled in 0.1."""
    boundaries: tuple[BoundaryInfo, ...] = ()
    """Earlier boundaries of the session, oldest first."""
    focus: str = ""
    """What the user says matters most now (``novacore compact --focus``)."""
    language: str = ""
    """Language of the user's answers, ``en`` or ``zh``; passages must be in it. Empty: any."""
    attempt: str = ""
    """Why the last proposal was refused; empty the first time."""
    deadline: float = 60.0
    """Seconds for this call."""
    events: Callable[[EventRange], Sequence[Event]] | None = None
    """Events of the log, also of earlier epochs. Raises KeyError for an unknown id."""
    ask: Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]] | None = None
    """The model, asked at the end of the live prefix; None where there is none, as in 0.1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """A proposal. ``cut`` is the event that the tail begins with; None lets the host cut."""

    cut: str | None = None
    patch: StatePatch | None = None
    """What to add to the state; there is no way to delete."""
    passages: tuple[Passage, ...] = ()
    """At least one; together they stand for everything before the cut, without gap or overlap."""
    keep: tuple[KeepEvent | KeepLines, ...] = ()
    """Text to carry over word for word, within the share of evidence."""
    note: str = ""


# --- recall --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A question to memory: at most ``limit`` answers, ``max_tokens`` in all; seconds."""

    session: SessionRef
    occasion: Occasion
    """Why it is asked; in 0.1 always ``message``."""
    text: str
    """The user's words, secrets masked."""
    goal: str = ""
    plan_item: str = ""
    """The item of the plan that is being done."""
    paths: tuple[str, ...] = ()
    """Files that the session touched last."""
    entities: tuple[str, ...] = ()
    """Names that the occasion is about; not filled in 0.1."""
    branch: str = ""
    """Not filled in 0.1."""
    language: str = ""
    principal: str = ""
    """Whose memory may be used."""
    roots: tuple[str, ...] = ()
    role: str = ""
    """Not filled in 0.1."""
    limit: int = 5
    max_tokens: int = 2_000
    deadline: float = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Something remembered: ``key`` is unique in its plugin, ``score`` orders its answers."""

    key: str
    text: str
    uri: str
    """Where it can be looked up again."""
    version: str = ""
    """Of what ``uri`` names; equal uri and version are one item."""
    time: str = ""
    """ISO 8601, when it was said or written."""
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
    """Files that the session has read or changed."""
    principal: str = ""
    role: str = ""
    """Not filled in 0.1."""
    previous: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Rules of one source. ``level`` orders: 0 is the user's global file, higher is nearer."""

    id: str
    """The same for the same source, so that a change is told as a replacement."""
    text: str
    uri: str
    """``file:`` and a path inside the roots, or a scheme of the plugin's own."""
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
    """Who provides it; empty for a built-in tool."""
    read_only: bool = True
    required: bool = False
    calls: int = 0
    """How often it was called in this session."""
    found: bool = False
    """Whether the agent had to search for it; not filled in 0.1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsRequest:
    """Every tool that may be offered in this epoch; dollars for ``spent`` and ``spend_limit``."""

    session: SessionRef
    tools: tuple[ToolInfo, ...]
    mode: Mode
    task: str
    """The goal, in the user's words."""
    token_budget: int
    """Tokens that all definitions together should take."""
    spent: float = 0.0
    spend_limit: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """Names to keep, defer or hide; silence means keep."""

    keep: tuple[str, ...] = ()
    defer: tuple[str, ...] = ()
    """Recorded, and offered like kept ones: there is nothing to find a deferred tool with yet."""
    hide: tuple[str, ...] = ()
    reason: str = ""
    """For a person, in the manifest."""
