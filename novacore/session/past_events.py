"""Opens events by id, of this session and of the same person's others in the same repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from novacore.engine.event_words import SHOWN, all_words, shown_text
from novacore.errors import StoreError, UsageError
from novacore.session.record import Record
from novacore.store.folder import SessionFolder
from novacore.types import Event


def event_opener(record: Record, session_id: str, state: Path) -> Callable[[str, str], str | None]:
    """``open(session, event)`` gives an event's words, or None.

    None for one that does not exist, or that this session's principal and repository may not see.
    """
    first = record.events[0].data

    def open_event(session: str, event: str) -> str | None:
        # A search hit names an event as session/event.
        if "/" in event:
            session, _, event = event.partition("/")
        if session in ("", session_id):
            try:
                return _words(record.event(event))
            except KeyError:
                return None
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
    found = next((e for e in folder.log.events if e.id == event), None)
    return None if found is None else _words(found)


def _words(event: Event) -> str:
    return shown_text(event) if event.kind in SHOWN else all_words(event.data)
