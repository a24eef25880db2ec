"""Who is still asked in which session: three faults in a row, or a hang, and a plugin is not."""

from __future__ import annotations

from typing import Literal

TRIP_AFTER = 3
"""Faults in a row that switch a hook of a plugin off for the session (docs/concepts/hooks.md)."""


class Breaker:
    """Counts by session, since one plugin serves many."""

    def __init__(self) -> None:
        self._faults: dict[tuple[str, str, str], int] = {}
        self._hung: set[tuple[str, str]] = set()

    def good(self, session: str, plugin: str, hook: str) -> None:
        """An answer came."""
        self._faults.pop((session, plugin, hook), None)

    def fault(self, session: str, plugin: str, hook: str) -> bool:
        """Count a fault; True when this one switches the hook off."""
        key = (session, plugin, hook)
        self._faults[key] = self._faults.get(key, 0) + 1
        return self._faults[key] == TRIP_AFTER

    def hang(self, session: str, plugin: str) -> None:
        """The plugin did not come back; it is not asked again in this session."""
        self._hung.add((session, plugin))

    def why_not(self, session: str, plugin: str, hook: str) -> Literal["hung", "off", ""]:
        """Why the plugin is not asked; empty when it is."""
        if (session, plugin) in self._hung:
            return "hung"
        return "off" if self._faults.get((session, plugin, hook), 0) >= TRIP_AFTER else ""

    def hung_anywhere(self, plugin: str) -> bool:
        """Whether the plugin hangs in any session of this process."""
        return any(name == plugin for _, name in self._hung)

    def off_somewhere(self, plugin: str) -> tuple[str, ...]:
        """Hooks of the plugin that are switched off in any session of this process."""
        return tuple(
            sorted({h for (_, p, h), n in self._faults.items() if p == plugin and n >= TRIP_AFTER})
        )
