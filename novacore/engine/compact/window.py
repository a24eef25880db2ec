"""What one compaction works on: a window, what it costs, and what stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from novacore.engine.boundary import Boundary, Lookup, OutputLines, Place, boundary_from_json
from novacore.engine.budget import Budget
from novacore.engine.plain import from_plain
from novacore.types import BoundaryInfo, Event, Passage, SessionRef, State, Trigger, ViewItem

Between = Callable[[str, str], Sequence[Event]]
"""Events from one id to another, both included; KeyError for an unknown one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A window before its compaction. All tokens are in the units of ``used``."""

    session: SessionRef
    items: tuple[ViewItem, ...]
    state: State
    budget: Budget
    trigger: Trigger
    focus: str
    model: str
    used: int
    ground: int
    """Tokens of what stands before and beside the head: tools, system, baseline, recovery."""
    previous: Boundary | None
    boundaries: tuple[BoundaryInfo, ...]
    lookup: Lookup
    between: Between
    count: Callable[[str], int]
    transcript: str
    output_lines: OutputLines | None

    @property
    def hard(self) -> bool:
        """Whether the window must shrink, whatever it takes."""
        return self.trigger in ("hard", "too_long", "model_switch")

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What stands for the events before this epoch."""
        return self.previous.passages if self.previous else ()

    @property
    def places(self) -> tuple[Place, ...]:
        """User messages that the last boundary kept."""
        return self.previous.kept_users if self.previous else ()


def scaled_items(
    items: Sequence[tuple[str, int]], lookup: Lookup, ratio: float
) -> tuple[ViewItem, ...]:
    """Events by id with their estimated tokens, in real tokens and in the order of the log.

    A view shows what the user said between a call and its result after the result; the tail is cut
    in the log, where it stands between the two.
    """
    made = [ViewItem(event=lookup(id), tokens=ceil(tokens * ratio)) for id, tokens in items]
    return tuple(sorted(made, key=lambda item: item.event.seq))


def scaled_count(count: Callable[[str], int], ratio: float) -> Callable[[str], int]:
    """An estimate in real tokens. ``ratio``: real tokens for an estimated one."""
    return lambda text: ceil(count(text) * ratio)


def earlier(
    boundaries: Sequence[Mapping[str, Any]],
) -> tuple[Boundary | None, tuple[BoundaryInfo, ...]]:
    """The newest boundary in full, and all of them as plugins see them."""
    infos = tuple(
        BoundaryInfo(
            id=str(data["id"]),
            plugin=str(data.get("plugin", "")),
            first=str(data["source"]["first"]),
            last=str(data["source"]["last"]),
            passages=tuple(from_plain(Passage, p) for p in data.get("passages", ())),
        )
        for data in boundaries
    )
    return (boundary_from_json(boundaries[-1]) if boundaries else None), infos
