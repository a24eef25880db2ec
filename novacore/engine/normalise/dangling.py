"""Calls that a log leaves without a result, each with the true reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from novacore.engine.cuts import calls_of
from novacore.engine.normalise.reasons import INTERRUPTED, NOT_STARTED, READ_ONLY, result_text
from novacore.types import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    """A call without a result. ``text`` is the synthetic result's; ``event`` made the call."""

    call_id: str
    name: str
    event: str
    reason: str
    text: str
    unknown: bool
    """It may have had an effect that nobody recorded."""


def dangling(events: Iterable[Event]) -> tuple[Dangling, ...]:
    """Open calls in the order in which they were made.

    A log that holds a result for each call, synthetic ones included, has none: closing them is
    done once.
    """
    open_calls: dict[str, tuple[str, str]] = {}
    started: dict[str, bool] = {}
    for event in events:
        for call in calls_of(event):
            open_calls[call] = (event.id, _name(event, call))
            started.pop(call, None)
        if event.kind == "tool_started":
            started[str(event.data.get("call_id"))] = bool(event.data.get("read_only", False))
        elif event.kind == "tool_result":
            open_calls.pop(str(event.data.get("call_id")), None)
    return tuple(_made(call, *made, started.get(call)) for call, made in open_calls.items())


def _made(call: str, event: str, name: str, read_only: bool | None) -> Dangling:
    reason = NOT_STARTED if read_only is None else READ_ONLY if read_only else INTERRUPTED
    return Dangling(
        call_id=call,
        name=name,
        event=event,
        reason=reason,
        text=result_text(reason),
        unknown=reason == INTERRUPTED,
    )


def _name(event: Event, call: str) -> str:
    blocks = event.data.get("blocks", ())
    return next(str(b.get("name", "")) for b in blocks if str(b.get("id")) == call)
