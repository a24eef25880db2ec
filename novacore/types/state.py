"""The state of a task: a pure fold over events. What must survive every compaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Words as they were said, with the event that holds them. ``superseded_by`` is an event id."""

    id: str
    text: str
    event: str
    condition: str = ""
    superseded_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A claim bound to the events that show it."""

    id: str
    claim: str
    evidence: tuple[str, ...]
    status: Literal["verified", "unverified", "unknown"] = "unverified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Candidates that nobody has decided between; as undeletable as a constraint."""

    id: str
    subject: str
    candidates: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanItem:
    """One item of the plan tool's store."""

    id: str
    text: str
    status: Literal["open", "doing", "done", "cancelled"] = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """What happened to a file: last action, hashes before and after, last range read."""

    path: str
    action: Literal["read", "created", "modified", "deleted"]
    event: str
    before: str = ""
    after: str = ""
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRecord:
    """A command that ran; ``error`` is the last failing error line, verbatim."""

    command: str
    event: str
    exit_code: int | None
    error: str = ""
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SideEffect:
    """An action on the world. ``unknown`` must be checked before it is repeated."""

    call_id: str
    tool: str
    summary: str
    status: Literal["proposed", "started", "committed", "unknown"]
    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that must survive a compaction; a fold over events, never written by a plugin."""

    goal: Statement | None = None
    earlier_goals: tuple[Statement, ...] = ()
    done_when: tuple[Statement, ...] = ()
    constraints: tuple[Statement, ...] = ()
    conditions: tuple[Statement, ...] = ()
    decisions: tuple[Statement, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    facts: tuple[Fact, ...] = ()
    open_loops: tuple[Statement, ...] = ()
    plan: tuple[PlanItem, ...] = ()
    files: tuple[FileRecord, ...] = ()
    commands: tuple[CommandRecord, ...] = ()
    side_effects: tuple[SideEffect, ...] = ()
    ruled_out: tuple[Statement, ...] = ()
    identifiers: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    worktree: Mapping[str, str] = field(default_factory=dict)
    reply_language: str = ""
    narrative: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersession:
    """Two sentences quoted exactly: the old one no longer holds because of the new one."""

    old: str
    new: str
    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePatch:
    """What a compaction adds to the state. There is deliberately no way to delete anything."""

    facts: tuple[Fact, ...] = ()
    decisions: tuple[Statement, ...] = ()
    ruled_out: tuple[Statement, ...] = ()
    resolved_loops: tuple[str, ...] = ()
    superseded: tuple[Supersession, ...] = ()
