"""Files that only their owner can read, written whole or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from novacore.config.folders import private
from novacore.config.regular import open_regular
from novacore.errors import DiskRefused

FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""Flags of every file that is opened here: no links, no inheritance, no newline translation."""

TEMP_PREFIX = ".tmp-"


def refusal(error: OSError, path: Path) -> DiskRefused:
    """``error`` as one line that says what to do; its ``reason`` is e.g. ``ENOSPC``."""
    reason = errno.errorcode.get(error.errno or 0, type(error).__name__)
    words = error.strerror or reason
    return DiskRefused(
        f"cannot write {path.name}: {words} ({reason}); free or unlock {path.parent}",
        reason=reason,
    )


def private_folder(folder: Path) -> Path:
    """Make ``folder`` 0700, also where it stood open before. Raises OSError."""
    private(folder)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def read_private(path: Path) -> bytes:
    """The bytes of a file that was written here. Raises OSError, also for anything but a file."""
    with open_regular(path) as file:
        return file.read()


def create_private(path: Path) -> int:
    """A descriptor of a new 0600 file, independent of the umask. Raises OSError."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | FLAGS, 0o600)
    path.chmod(0o600)
    return handle


def write_private(path: Path, data: bytes, *, sync: bool = False) -> None:
    """Write a 0600 file under a temporary name and rename it. Raises OSError and leaves nothing."""
    private_folder(path.parent)
    temp = path.with_name(f"{TEMP_PREFIX}{os.urandom(8).hex()}")
    try:
        handle = create_private(temp)
        try:
            write_all(handle, data)
            if sync:
                os.fsync(handle)
        finally:
            os.close(handle)
        temp.replace(path)
    except OSError:
        with suppress(FileNotFoundError):
            temp.unlink()
        raise


def write_all(handle: int, data: bytes) -> None:
    """Write ``data``: one system call, more only where the system took a part. Raises OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def sweep(folder: Path) -> int:
    """Remove temporary files that a killed process left in ``folder``; gives their number."""
    if not folder.is_dir() or folder.is_symlink():
        return 0
    left = [path for path in folder.iterdir() if path.name.startswith(TEMP_PREFIX)]
    for path in left:
        path.unlink(missing_ok=True)
    return len(left)
