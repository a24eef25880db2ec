"""Tool calls, their outcomes, and the questions that a call may raise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from novacore.types.fragments import Source
from novacore.types.messages import Image
from novacore.types.state import FileRecord, PlanItem

Status = Literal[
    "ok",
    "unchanged",
    "not_found",
    "ambiguous",
    "denied",
    "too_many",
    "too_large",
    "stale",
    "unreadable",
    "unsupported",
    "failed",
    "rejected",
    "interrupted",
    "sibling_failed",
    "user_stopped",
]
"""How a call ended. The last three are synthetic: the call has no result of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call as the dispatcher takes it up. ``id`` is the provider's, unchanged."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What a call came to. ``text`` is what the model would see before spilling."""

    text: str
    status: Status = "ok"
    is_error: bool = False
    source: Source | None = None
    read_back: bool = False
    """The text comes from an artifact of this session: it is never spilled again."""
    images: tuple[Image, ...] = ()
    files: tuple[FileRecord, ...] = ()
    """Files that the call read or changed; ``event`` is filled in by the session."""
    command: str = ""
    exit_code: int | None = None
    failing: tuple[str, ...] = ()
    error_line: str = ""
    plan: tuple[PlanItem, ...] | None = None
    """The whole plan after this call, when it changed."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """For front ends only (``diff``, ``cached``, ``masked``); no model sees it."""


Subject = Literal["edit", "exec", "path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionQuestion:
    """What a person is asked before a call runs. ``detail`` is the diff or the whole command."""

    id: str
    call_id: str
    tool: str
    subject: Subject
    title: str
    detail: str
    paths: tuple[str, ...] = ()
    command: str = ""
    programs: tuple[str, ...] = ()
    """Programs outside the workspace that a command names with their folders (real paths)."""
    warnings: tuple[str, ...] = ()
    protected: bool = False
    """Always asked, in every mode; ``always`` is not offered."""
    rule: str = ""
    """The exact rule that ``always`` would record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionAnswer:
    """A person's answer. No answer is a rejection."""

    outcome: Literal["once", "session", "always", "reject"]
    reason: str = ""
    by: str = "user"
