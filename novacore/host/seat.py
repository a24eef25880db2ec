"""A plugin's place at the host: what it is, where it runs, and whether it may be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from novacore.host.types import State
from novacore.host.worker import Call, Worker


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
    running: dict[Call, str] = field(default_factory=dict)
    """Calls under way and their hooks."""
    stuck: set[Call] = field(default_factory=set)
    """Calls that were abandoned and have not come back."""

    def fail(self, state: State, detail: str) -> None:
        """Take the plugin out of use."""
        self.state, self.detail = state, detail
        if self.worker is not None:
            self.worker.stop()
