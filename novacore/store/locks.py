"""One writer at a time: a lock that the system releases when its holder dies, kill -9 included."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from novacore.errors import DiskRefused, SessionLocked
from novacore.store.private import private_folder, refusal

if TYPE_CHECKING:
    from filelock import BaseFileLock

NAME = "lock"


class WriterLock:
    """The right to write in one folder. Where the file system has no locks, a pid file stands in.

    Two holders exclude each other inside one process too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock: BaseFileLock | None = None

    def acquire(self, timeout: float = 0.3) -> None:
        """Take the lock, waiting ``timeout`` seconds at most. Raises SessionLocked, DiskRefused."""
        from filelock import FileLock, Timeout

        path = self._folder / NAME
        try:
            private_folder(self._folder)
            # A session may be closed on another thread than the one that opened it.
            lock = FileLock(path, mode=0o600, thread_local=False)
            lock.acquire(timeout=timeout, poll_interval=0.02)
        except Timeout as error:
            raise SessionLocked(
                f"another process works in session {self._folder.name}; wait for its end, or read"
                f" it: novacore sessions show {self._folder.name}"
            ) from error
        except OSError as error:
            raise refusal(error, path) from error
        self._lock = lock

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not held."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def is_locked(folder: Path) -> bool:
    """Whether somebody writes in ``folder`` at this moment."""
    if not (folder / NAME).exists():
        return False
    lock = WriterLock(folder)
    try:
        lock.acquire(timeout=0)
    except SessionLocked:
        return True
    except DiskRefused:
        # Where this user cannot even take the lock, it only reads.
        return False
    lock.release()
    return False
