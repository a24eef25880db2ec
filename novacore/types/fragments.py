"""Fragments: the pieces that a window is made of, and the labels that the host puts on them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a fragment is."""

    GOAL = "goal"
    CONSTRAINT = "constraint"
    DECISION = "decision"
    FACT = "fact"
    TASK_STATE = "task_state"
    INSTRUCTION = "instruction"
    MEMORY = "memory"
    EVIDENCE = "evidence"
    OBSERVATION = "observation"
    TOOL = "tool"
    CHAT = "chat"


class Authority(StrEnum):
    """How much a fragment weighs in a conflict, strongest first."""

    HARD_CONSTRAINT = "hard_constraint"
    EXPLICIT_DECISION = "explicit_decision"
    PROJECT_STATE = "project_state"
    PREFERENCE = "preference"
    HISTORICAL_FACT = "historical_fact"
    CASUAL = "casual"


class Trust(StrEnum):
    """Who stands behind a text, most trusted first; everything derived inherits the weakest."""

    SYSTEM = "system"
    USER = "user"
    PROJECT = "project"
    TOOL = "tool"
    MODEL = "model"
    UNTRUSTED = "untrusted"


class Lifetime(StrEnum):
    """How long a fragment matters."""

    PERMANENT = "permanent"
    SESSION = "session"
    TASK = "task"
    PHASE = "phase"
    TURN = "turn"


class Disposition(StrEnum):
    """What may happen to a fragment at a boundary."""

    PINNED = "pinned"
    RECALLED = "recalled"
    COMPRESSIBLE = "compressible"
    EVICTABLE = "evictable"


class Region(StrEnum):
    """Where in a request a fragment stands, in the order of the request."""

    TOOLS = "tools"
    SYSTEM = "system"
    BASELINE = "baseline"
    SUMMARY = "summary"
    RECOVERY = "recovery"
    HISTORY = "history"
    EVIDENCE = "evidence"
    MEMORY = "memory"
    RESTATEMENT = "restatement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a fragment comes from, exactly enough to fetch it again.

    ``uri`` names a file (``file:src/a.py``), event (``event:<id>``), memory (``mem:<id>``),
    tool (``tool:<name>``) or artifact (``artifact:<id>``). Lines are 1-based and inclusive;
    ``version`` is a content hash; ``time`` is ISO 8601 in UTC.
    """

    uri: str
    start_line: int | None = None
    end_line: int | None = None
    version: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """One piece of a window, explained. Authority, trust, kind and disposition are the host's."""

    id: str
    """Stable: resource identity and version, or the event's id."""
    content: str
    kind: Kind
    source: Source
    authority: Authority
    trust: Trust
    lifetime: Lifetime
    disposition: Disposition
    region: Region
    reason: str
    """Why it is in the window, for a person."""
    tokens: int
    owner: str = ""
    """Principal, workspace or role."""
    access: str = ""
    """Permission domain and what granted it."""
    depends: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A candidate that did not enter the window."""

    id: str
    source: Source
    reason: str
    """budget | superseded | denied | duplicate | stale, then words for a person."""
    tokens: int = 0
