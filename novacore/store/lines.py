"""Append-only files of lines: how one is written, and how one is read after a crash."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from novacore.config.regular import open_regular
from novacore.store.private import FLAGS, create_private, private_folder, write_all

MAX_LINE = 256 * 2**20
"""Bytes of the longest line that is read; a longer one (a hole in the file) is damage."""


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line without its 0x0a: 1-based number, byte offsets (``end`` is the next line's start)."""

    number: int
    start: int
    end: int
    data: bytes
    whole: bool
    """False where the file ends inside it. ``data`` is empty when it is over ``MAX_LINE``."""


def read_lines(path: Path, *, start: int = 0, number: int = 0) -> Iterator[RawLine]:
    """The lines from byte ``start`` on, split at 0x0a only. Raises OSError."""
    with open_regular(path) as file:
        file.seek(start)
        while data := file.readline(MAX_LINE):
            number += 1
            end, last = start + len(data), data[-1:]
            if len(data) == MAX_LINE:
                data = b""
                while last != b"\n" and (rest := file.readline(2**20)):
                    end, last = end + len(rest), rest[-1:]
            yield RawLine(number, start, end, data.removesuffix(b"\n"), last == b"\n")
            start = end


def append_line(path: Path, line: bytes, *, sync: bool = False) -> int:
    """Append ``line`` (which ends in 0x0a) with one write; gives its byte offset.

    A torn last line gets its newline first. With ``sync`` it is on the disk on return. Raises
    OSError; what was written of it is then cut off again where the disk allows that.
    """
    handle = _open(path)
    try:
        size = os.fstat(handle).st_size
        guard = b"\n" if _torn(handle, size) else b""
        try:
            write_all(handle, guard + line)
            if sync:
                os.fsync(handle)
        except OSError:
            # If this fails too, the newline check of the next append keeps the damage to one line.
            with suppress(OSError):
                os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)
    return size + len(guard)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND | FLAGS)
    except FileNotFoundError:
        private_folder(path.parent)
        os.close(create_private(path))
        return os.open(path, os.O_RDWR | os.O_APPEND | FLAGS)


def _torn(handle: int, size: int) -> bool:
    if size == 0:
        return False
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) != b"\n"
