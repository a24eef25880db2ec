"""The folder of one session, and the list of all of them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from novacore.errors import SessionNotFound, StoreError, UsageError
from novacore.store.artifacts import ArtifactStore
from novacore.store.ids import session_id
from novacore.store.locks import WriterLock
from novacore.store.log import EventLog
from novacore.store.meta import LOG_NAME, SessionMeta, current_meta
from novacore.store.private import (
    private_folder,
    read_private,
    refusal,
    sweep,
    write_private,
)
from novacore.store.reasoning import ReasoningStore
from novacore.store.snapshots import Snapshots
from novacore.types import LOG_VERSION

SESSIONS = "sessions"
ARTIFACTS = "tool-results"
SNAPSHOTS = "snapshots"
REASONING = "reasoning"
_KEY_BYTES = 32
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class SessionFolder:
    """One session's files. Made by ``create`` or ``open``; ``close`` gives the lock back."""

    def __init__(self, path: Path, log: EventLog, lock: WriterLock | None, to_disk: bool) -> None:
        spills = (event.data.get("artifact") for event in log.events if event.kind == "spill")
        self.id = path.name
        self.path = path
        self.log = log
        self.artifacts = ArtifactStore(
            path / ARTIFACTS, to_disk=to_disk, taken=[str(id) for id in spills if id]
        )
        self.snapshots = Snapshots(path / SNAPSHOTS)
        self.reasoning = ReasoningStore(path / REASONING)
        self._lock = lock
        self._key = b""

    @classmethod
    def create(
        cls,
        state: Path,
        session: Mapping[str, Any],
        *,
        clock: Callable[[], float] = time.time,
        to_disk: bool = True,
    ) -> SessionFolder:
        """A new session with its first record: ``session``, and its id and format in it.

        Raises DiskRefused when the folder cannot be made.
        """
        path = _new_folder(state / SESSIONS, clock)
        lock = WriterLock(path)
        lock.acquire()
        log = EventLog.create(path / LOG_NAME, clock=clock)
        log.append(
            "session",
            {"format": LOG_VERSION, **session, "session_id": path.name},
            by="host",
            turn=0,
        )
        return cls(path, log, lock, to_disk)

    @classmethod
    def open(
        cls,
        state: Path,
        id: str,
        *,
        write: bool = True,
        clock: Callable[[], float] = time.time,
        to_disk: bool = True,
    ) -> SessionFolder:
        """Open a session by its id or a unique beginning of it; to read only without ``write``.

        Raises SessionNotFound, UsageError (ambiguous), SessionLocked, NewerLog, StoreError.
        """
        path = find_session(state, id)
        lock = WriterLock(path) if write else None
        if lock is not None:
            lock.acquire()
        try:
            log = EventLog.open(path / LOG_NAME, clock=clock, read_only=not write)
            if write and not log.events:
                raise StoreError(
                    f"the log of session {path.name} holds no record that can be read;"
                    " start a new session, this one stays as it is"
                )
        except StoreError:
            if lock is not None:
                lock.release()
            raise
        folder = cls(path, log, lock, to_disk)
        if lock is not None:
            folder._sweep()
        return folder

    @property
    def meta(self) -> SessionMeta:
        """What a list shows, as far as the log is written; brings ``meta.json`` up to date."""
        try:
            return current_meta(self.path)
        except OSError:
            return SessionMeta(id=self.id)

    def key(self) -> bytes:
        """The session's secret key (32 bytes), for frames and masks; made when first asked for."""
        if not self._key:
            self._key = self._stored_key()
        return self._key

    def close(self) -> str:
        """Write what is left, bring ``meta.json`` up to date and give the lock back.

        One line about what the disk did not take to the last; empty when it has everything.
        """
        if self._lock is None:
            return ""
        self.log.flush()
        self.artifacts.flush()
        _ = self.meta
        self._lock.release()
        self._lock = None
        if self.log.refused is None:
            return ""
        return f"{self.log.unwritten} records of session {self.id} are lost: {self.log.refused}"

    def _stored_key(self) -> bytes:
        path = self.path / "key"
        with suppress(OSError):
            if len(key := read_private(path)) == _KEY_BYTES:
                return key
        key = os.urandom(_KEY_BYTES)
        if self._lock is not None:
            # A disk that refuses shows in the log, with its warning; this process goes on.
            with suppress(OSError):
                write_private(path, key, sync=True)
        return key

    def _sweep(self) -> None:
        for folder in (self.path, self.path / ARTIFACTS, self.path / SNAPSHOTS / "blobs"):
            try:
                sweep(folder)
            except OSError as error:
                self.log.refused = refusal(error, folder)


def find_session(state: Path, id: str) -> Path:
    """The folder of a session by its id or a unique beginning of it.

    Raises SessionNotFound, and UsageError when several begin so.
    """
    folder = state / SESSIONS
    if not _ID.fullmatch(id):
        raise SessionNotFound(f"{id[:64]!r} is no session id; see `novacore sessions list`")
    if (folder / id / LOG_NAME).exists():
        return folder / id
    matches = sorted(name for name in _session_names(folder) if name.startswith(id))
    if not matches:
        raise SessionNotFound(f"there is no session {id}; see `novacore sessions list`")
    if len(matches) > 1:
        shown = ", ".join(matches[:3])
        raise UsageError(f"{len(matches)} sessions begin with {id} ({shown}...); give more of it")
    return folder / matches[0]


def list_sessions(
    state: Path, *, principal: str | None = None, repository: str | None = None
) -> list[SessionMeta]:
    """Every session, newest first; only those of a principal and repository where given.

    One whose log does not say whose it is any more is everybody's, so that it is not overlooked.
    """
    found = []
    for name in _session_names(state / SESSIONS):
        try:
            meta = current_meta(state / SESSIONS / name)
        except OSError as error:
            meta = SessionMeta(id=name, damaged=(f"cannot be read: {error.strerror}",))
        if _belongs(meta, principal, repository):
            found.append(meta)
    return sorted(found, key=lambda meta: (meta.updated, meta.id), reverse=True)


def _belongs(meta: SessionMeta, principal: str | None, repository: str | None) -> bool:
    if meta.damaged and not meta.principal:
        return True
    return principal in (None, meta.principal) and repository in (None, meta.repository)


def _session_names(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return [
            entry.name
            for entry in entries
            if entry.is_dir(follow_symlinks=False) and _ID.fullmatch(entry.name)
        ]


def _new_folder(sessions: Path, clock: Callable[[], float]) -> Path:
    try:
        private_folder(sessions)
        while True:
            path = sessions / session_id(clock())
            try:
                path.mkdir(mode=0o700)
            except FileExistsError:
                continue
            path.chmod(0o700)
            return path
    except OSError as error:
        raise refusal(error, sessions) from error
