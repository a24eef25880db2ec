"""Events: the records of a session's log, the truth that all else is derived from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

LOG_VERSION = 1


class EventKind(StrEnum):
    """Every kind of record; the data of each is described in ``docs/reference/log.md``."""

    SESSION = "session"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL_CALL = "tool_call"
    TOOL_STARTED = "tool_started"
    TOOL_RESULT = "tool_result"
    SPILL = "spill"
    UPDATE = "update"
    RECALL = "recall"
    PERMISSION = "permission"
    STATE_EDIT = "state_edit"
    PLAN = "plan"
    COMPACTION = "compaction"
    CHECKPOINT = "checkpoint"
    USAGE = "usage"
    PLUGIN = "plugin"
    TURN_END = "turn_end"
    FAULT = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of ``events.jsonl``.

    ``kind`` is a plain string, since a log may hold kinds of a later release: they are kept and
    skipped. ``offset`` is the byte position of the line in its file (-1 before it was written).
    """

    seq: int
    id: str
    ts: str
    kind: str
    by: Literal["user", "model", "host", "tool", "plugin"] | str
    turn: int
    data: Mapping[str, Any] = field(default_factory=dict)
    v: int = LOG_VERSION
    offset: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRange:
    """Events from ``first`` to ``last`` (ids), both included."""

    first: str
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedLine:
    """A damaged line of a log: 1-based number and what is wrong with it."""

    line: int
    reason: str
