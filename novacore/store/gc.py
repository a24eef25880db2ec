"""Retention: what may be deleted after a time, and what stays for good."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from novacore.errors import SessionLocked
from novacore.store.folder import (
    ARTIFACTS,
    REASONING,
    SESSIONS,
    SNAPSHOTS,
    find_session,
    list_sessions,
)
from novacore.store.locks import WriterLock
from novacore.store.meta import LOG_NAME, SessionMeta
from novacore.store.private import refusal
from novacore.store.snapshots import BLOBS

DAYS = 30
"""Default age, in days since the session's last event."""

_CONTENT = ((ARTIFACTS,), (SNAPSHOTS, BLOBS), (REASONING,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What was removed. ``bytes`` counts a file only where no fork keeps it by another link."""

    sessions: tuple[str, ...] = ()
    files: int = 0
    bytes: int = 0
    busy: tuple[str, ...] = ()
    """Sessions that are being written, and were left alone."""


def collect(state: Path, *, days: float = DAYS, now: float | None = None) -> Collected:
    """Remove spilled outputs, snapshots' content and reasoning of sessions older than ``days``.

    Logs, metadata and the rows of requests stay. Raises DiskRefused.
    """
    before = (time.time() if now is None else now) - days * 86_400
    old = [meta for meta in list_sessions(state) if _updated(state, meta) < before]
    return _collect(state, [meta.id for meta in old], _CONTENT)


def remove_spilled(state: Path, session: str) -> Collected:
    """Remove the spilled outputs of one session, whatever its age.

    Raises SessionNotFound, SessionLocked, DiskRefused.
    """
    session = find_session(state, session).name
    collected = _collect(state, [session], _CONTENT[:1])
    if collected.busy:
        raise SessionLocked(f"session {session} is being written; close it first")
    return collected


def _collect(state: Path, sessions: list[str], content: tuple[tuple[str, ...], ...]) -> Collected:
    removed: list[str] = []
    busy: list[str] = []
    files = size = 0
    for session in sessions:
        folder = state / SESSIONS / session
        lock = WriterLock(folder)
        try:
            lock.acquire(timeout=0)
        except SessionLocked:
            busy.append(session)
            continue
        try:
            sizes = [_remove(path) for parts in content for path in _files(folder, parts)]
        finally:
            lock.release()
        if sizes:
            removed.append(session)
            files, size = files + len(sizes), size + sum(sizes)
    return Collected(sessions=tuple(removed), files=files, bytes=size, busy=tuple(busy))


def _files(folder: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    for part in parts:
        folder = folder / part
        # A link put there by a command must not lead the deletion elsewhere.
        if folder.is_symlink() or not folder.is_dir():
            return
    with os.scandir(folder) as entries:
        yield from [Path(e.path) for e in entries if not e.is_dir(follow_symlinks=False)]


def _remove(path: Path) -> int:
    try:
        info = path.lstat()
        path.unlink()
    except OSError as error:
        raise refusal(error, path) from error
    return info.st_size if info.st_nlink == 1 else 0


def _updated(state: Path, meta: SessionMeta) -> float:
    try:
        return datetime.fromisoformat(meta.updated).timestamp()
    except ValueError:
        return _changed(state / SESSIONS / meta.id)


def _changed(folder: Path) -> float:
    log = folder / LOG_NAME
    return (log if log.exists() else folder).stat().st_mtime
