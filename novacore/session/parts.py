"""What a session is made of; the service wires it, tests may wire their own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from novacore.types import (
    ModelInfo,
    ModelProvider,
    PermissionAnswer,
    PermissionQuestion,
    SessionRef,
    SpillLimits,
    Usage,
)

if TYPE_CHECKING:
    from novacore.engine.budget import Budget
    from novacore.host import Host
    from novacore.store.folder import SessionFolder
    from novacore.tokens import TokenCounter
    from novacore.tools.context import Tool, ToolContext
    from novacore.tools.permissions import Permissions
    from novacore.trace import Trace

Emit = Callable[[str, Mapping[str, Any]], None]
"""Called with a turn event's kind and data."""

Ask = Callable[[PermissionQuestion], Awaitable[PermissionAnswer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a turn stops by itself."""

    steps: int = 200
    """Model requests in one turn."""
    dollars: float | None = None
    """Cost of one session; None: no limit."""


@dataclass(slots=True, kw_only=True)
class SessionParts:
    """Everything that one session works with."""

    ref: SessionRef
    folder: SessionFolder
    host: Host
    provider: ModelProvider
    info: ModelInfo
    budget: Budget
    budget_of: Callable[[ModelInfo], Budget]
    """Budgets by the user's settings, for a window that turns out to be another."""
    counter: TokenCounter
    cost: Callable[[Usage], float | None]
    """Dollars of one call; None where the price is unknown."""
    tools: Mapping[str, Tool]
    permissions: Permissions
    context: ToolContext
    trace: Trace
    key: bytes
    """The session key: frame marks and secret marks are derived from it."""
    trusted: bool
    principal: str
    cwd: Path
    limits: Limits = field(default_factory=Limits)
    spill: SpillLimits = field(default_factory=SpillLimits)
    """For a window of 200,000 tokens; the budget says how much more a larger one takes."""
    recall_wait: float = 0.05
    recall_waits: Mapping[str, float] = field(default_factory=dict)
    """By plugin: the seconds that a turn waits for it instead."""
    recall_limit: int = 5
    confirmed: Callable[[str], bool | None] = lambda path: True
    """Whether the user trusts an instruction file (its path) with what it holds now; None for a
    file that trust is not bound to."""
