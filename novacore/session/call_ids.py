"""Ids of calls: a provider may give one twice; in a session each call is known by its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from novacore.engine.cuts import calls_of
from novacore.types import Block, Event, ToolUse


class CallIds:
    """The ids that are taken. Everything after the answer tells calls apart by them alone."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._taken = {call for event in events for call in calls_of(event)}

    def own(self, blocks: Iterable[Block]) -> list[Block]:
        """``blocks`` with every call under an id of its own: the provider's unless it is taken."""
        return [self._own(block) if isinstance(block, ToolUse) else block for block in blocks]

    def _own(self, call: ToolUse) -> ToolUse:
        number, free = 2, call.id or "call"
        while free in self._taken:
            free = f"{call.id or 'call'}_{number}"
            number += 1
        self._taken.add(free)
        return call if free == call.id else replace(call, id=free)
