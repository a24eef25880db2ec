"""What front ends say to the service and hear from it; the same on every surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from novacore.types import Mode

TurnEventKind = Literal[
    "user",
    "text",
    "thought",
    "toolCall",
    "plan",
    "permission",
    "compaction",
    "recall",
    "notice",
    "idle",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """How a front end starts the service. Empty values fall back to the configuration."""

    cwd: Path
    model: str = ""
    mode: Mode | None = None
    assume_yes: bool = False
    """``--yes``: approve edits inside the roots, and commands that the user's rules allow."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Configuration by dotted key, from flags; the strongest layer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent:
    """One event of a turn.

    ``seq`` is the log's; text deltas carry the seq of the last record and a ``counter``. ``data``
    by kind: user {text}; text {delta}; thought {delta}; toolCall {callId, name, input, phase:
    started|progress|finished, status, text, diff, spilled, lines,
    isError, exitCode}; plan {items};
    permission {questionId, callId, tool, subject, title, detail, warnings, protected, options};
    compaction {id, before, after, plugin, trigger, verdict}; recall {items}; notice {level, text};
    idle {stopReason, usage, cost, costs, steps, request}.
    """

    kind: TurnEventKind
    session_id: str
    turn_id: str
    seq: int
    ts: str
    data: Mapping[str, Any]
    counter: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """A session as a list shows it."""

    id: str
    title: str
    cwd: str
    model: str
    mode: Mode
    created: str
    updated: str
    turns: int
    events: int
    last_seq: int
    repository: str = ""
    locked: bool = False
    damaged: tuple[str, ...] = ()
    """Lines of the log that were skipped, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What retention took away: files and bytes, of which sessions; ``busy`` were left alone."""

    sessions: tuple[str, ...]
    files: int
    bytes: int
    busy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of ``novacore doctor``."""

    name: str
    ok: bool
    value: str
    advice: str = ""
    """What to do, or what would be better; a check with advice may still be ok."""
    group: str = ""
    """Under which heading a person looks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigValue:
    """One configuration value and where it comes from."""

    key: str
    value: Any
    origin: str
    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustEntry:
    """A workspace and whether the user trusts it as it is now."""

    path: str
    trusted: bool
    changed: tuple[str, ...] = ()
    """What differs from what was trusted."""
    would_run: tuple[str, ...] = ()
    """What trusting it would let run or take effect."""
