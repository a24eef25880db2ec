"""Brings the search index up to date with logs and memory files, a batch at a time."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from novacore.errors import NewerLog
from novacore.store.memory import MemoryPlace, memory_files, read_memories
from novacore.store.meta import LOG_NAME, current_meta
from novacore.store.passages import of_event, of_memory
from novacore.store.pastdb import (
    SourceState,
    add_passages,
    forget_source,
    known_source,
    known_sources,
    save_source,
)
from novacore.store.records import Scanned, scan
from novacore.types import Event

BATCH = 500
"""Records that are indexed in one transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What belongs into one index: sessions of one principal, one repository (or every one)."""

    sessions: Path
    principal: str
    repository: str | None
    places: tuple[MemoryPlace, ...]


def memory_source(place: MemoryPlace) -> str:
    """The name of a memory folder as a source; clones of a repository have one each."""
    return f"mem:{place.name}:{os.path.realpath(place.folder)}".encode(errors="replace").decode()


def refresh(database: sqlite3.Connection, scope: Scope, *, seconds: float) -> None:
    """Index what is new, newest session first, for about ``seconds``. Raises sqlite3.Error."""
    deadline = time.monotonic() + seconds
    known = known_sources(database)
    for place in scope.places:
        _refresh_memory(database, place, known)
    names = _sessions(scope.sessions)
    for gone in known.keys() - set(names):
        if not gone.startswith("mem:"):
            with _transaction(database):
                forget_source(database, gone)
    for name in names:
        before = known.get(name)
        while _behind(scope.sessions / name, before) and time.monotonic() < deadline:
            before = _refresh_session(database, scope, name)
            if before is None:
                break


def _refresh_memory(
    database: sqlite3.Connection, place: MemoryPlace, known: dict[str, SourceState]
) -> None:
    source, state = memory_source(place), _memory_state(place)
    if known.get(source, SourceState()).state == state:
        return
    with _transaction(database):
        forget_source(database, source)
        for memory in read_memories([place]).entries:
            add_passages(database, source, of_memory(memory))
        save_source(database, source, SourceState(state=state))


def _memory_state(place: MemoryPlace) -> str:
    digest = hashlib.sha256()
    for path in memory_files(place):
        try:
            info = path.stat()
        except OSError:
            continue
        digest.update(os.fsencode(f"{path.name}\0{info.st_size}\0{info.st_mtime_ns}\0"))
    return digest.hexdigest()


def _sessions(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return sorted((e.name for e in entries if e.is_dir(follow_symlinks=False)), reverse=True)


def _behind(folder: Path, known: SourceState | None) -> bool:
    try:
        info = (folder / LOG_NAME).stat()
    except OSError:
        return False
    if known is None or known.state != str(info.st_ino):
        return True
    return known.mine and known.bytes != info.st_size


def _refresh_session(database: sqlite3.Connection, scope: Scope, name: str) -> SourceState | None:
    """Index one batch; gives how far it came, or None when there is nothing more for now."""
    log = scope.sessions / name / LOG_NAME
    info = log.stat()
    with _transaction(database):
        known = known_source(database, name)
        if known is None or known.state != str(info.st_ino) or known.bytes > info.st_size:
            forget_source(database, name)
            known = _new_source(scope, log, str(info.st_ino))
        if known is None:
            return None
        read = _batch(log, known) if known.mine else []
        add_passages(database, name, (p for e in _events(read) for p in of_event(e, name)))
        if read:
            known = replace(known, bytes=read[-1].end, lines=read[-1].line)
        save_source(database, name, known)
    return known if read else None


def _new_source(scope: Scope, log: Path, state: str) -> SourceState | None:
    meta = current_meta(log.parent)
    if not meta.events:
        return None
    same = scope.repository in (None, meta.repository) and meta.principal == scope.principal
    return SourceState(mine=same, state=state)


def _batch(log: Path, known: SourceState) -> list[Scanned]:
    lines = scan(log, start=known.bytes, line=known.lines, whole=True)
    try:
        return list(islice(lines, BATCH))
    except NewerLog:
        # Its list entry says so; a later release will search it.
        return []


def _events(lines: Sequence[Scanned]) -> Iterator[Event]:
    return (item for line in lines for item in line.items if isinstance(item, Event))


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    # IMMEDIATE: how far a source was read is looked up and moved on under one lock.
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")
