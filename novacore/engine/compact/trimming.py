"""A state that fits its room: what the log and the disk can tell again leaves first.

Nothing that a person said, that failed, changed a file or is still open is ever trimmed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from novacore.engine.state import render_state
from novacore.types import State

T = TypeVar("T")
_STEPS = (20, 5, 0)
"""How many of each droppable kind stay, step by step."""


def trimmed(state: State, room: int, count: Callable[[str], int]) -> State:
    """``state``, with its oldest droppable entries left out until its text takes ``room`` tokens.

    Droppable are files that were only read, commands that went well, committed side effects and
    misses. What is left may still be larger: the rest is pinned.
    """
    for keep in _STEPS:
        if count(render_state(state)) <= room:
            return state
        state = replace(
            state,
            files=_newest(state.files, lambda file: file.action == "read", keep),
            commands=_newest(state.commands, lambda command: command.exit_code == 0, keep),
            side_effects=_newest(state.side_effects, lambda e: e.status == "committed", keep),
            ruled_out=state.ruled_out[len(state.ruled_out) - min(keep, len(state.ruled_out)) :],
        )
    return state


def _newest(entries: Sequence[T], droppable: Callable[[T], bool], keep: int) -> tuple[T, ...]:
    surplus = sum(map(droppable, entries)) - keep
    kept = []
    for entry in entries:
        if surplus > 0 and droppable(entry):
            surplus -= 1
        else:
            kept.append(entry)
    return tuple(kept)
