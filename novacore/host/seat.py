"""A plugin's place at the host: what it is, where it runs, and whether it may be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from novacore.host.types import State
from novacore.host.worker import Call, Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """What a call is about."""

    hook: str
    session: str
    turn: int


@dataclass(slots=True, eq=False)
class Seat:
    """One plugin, from its discovery to the end of the host."""

    name: str
    source: str
    state: State = "found"
    detail: str = ""
    worker: Worker | None = None
    plugin: object | None = None
    hooks: tuple[str, ...] = ()
    methods: dict[str, Callable[..., Any]] = field(default_factory=dict)
    import_ms: float = 0.0
    running: dict[Call, UnderWay] = field(default_factory=dict)
    stuck: set[Call] = field(default_factory=set)
    """Calls that were abandoned and have not come back."""

    def fail(self, state: State, detail: str) -> None:
        """Take the plugin out of use."""
        self.state, self.detail = state, detail
        if self.worker is not None:
            self.worker.stop()
