"""Opens events, or ranges of them, of this session and the same person's others in the repository.

A range is named as a passage names it: ``first..last``, both included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from novacore.engine.event_words import SHOWN, all_words, shown_text
from novacore.errors import StoreError, UsageError
from novacore.session.record import Record
from novacore.store.folder import SessionFolder
from novacore.types import Event

MAX_CHARS = 30_000
"""Of a range in one answer, so that it stays below what would be spilled."""


def event_opener(record: Record, session_id: str, state: Path) -> Callable[[str, str], str | None]:
    """``open(session, event)`` gives the words of an event or a range of events, or None.

    None for what does not exist, or what this session's principal and repository may not see.
    """
    first = record.events[0].data

    def open_event(session: str, event: str) -> str | None:
        # A search hit names an event as session/event.
        if "/" in event:
            session, _, event = event.partition("/")
        if session in ("", session_id):
            return _opened(record.events, event)
        return _of_another(state, session, event, str(first["principal"]), str(first["repository"]))

    return open_event


def _of_another(
    state: Path, session: str, event: str, principal: str, repository: str
) -> str | None:
    try:
        folder = SessionFolder.open(state, session, write=False)
    except (StoreError, UsageError):
        return None
    meta = folder.meta
    if (meta.principal, meta.repository) != (principal, repository):
        return None
    return _opened(folder.log.events, event)


def _opened(events: Sequence[Event], wanted: str) -> str | None:
    first, dots, last = wanted.partition("..")
    places = {event.id: place for place, event in enumerate(events)}
    if first not in places or (dots and last not in places):
        return None
    if not dots:
        return _words(events[places[first]])
    return _range(events[places[first] : places[last] + 1], last)


def _range(events: Sequence[Event], last: str) -> str:
    """What a window held of these events, as far as it fits into one answer."""
    lines: list[str] = []
    size = 0
    for event in events:
        if event.kind not in SHOWN:
            continue
        line = f"[{event.kind} event:{event.id} {event.ts}]\n{shown_text(event)}"
        size += len(line)
        if lines and size > MAX_CHARS:
            return "\n".join([*lines, f"... go on with event={event.id}..{last}"])
        lines.append(line)
    return "\n".join(lines) or "Nothing of these records was ever shown."


def _words(event: Event) -> str:
    return shown_text(event) if event.kind in SHOWN else all_words(event.data)
