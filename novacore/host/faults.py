"""Faults: kept in memory, appended to ``faults.jsonl``, read back for ``novacore plugins``."""

from __future__ import annotations

import json
import os
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from novacore.config.folders import private
from novacore.config.regular import open_regular
from novacore.host.types import Fault

KEPT = timedelta(days=30)
READ_BYTES = 4_000_000
"""Only the newest part of a larger file is read, and kept when old lines are dropped."""
IN_MEMORY = 1_000
_WORDS = ("plugin", "hook", "reason", "detail", "time", "session", "trace")


def now() -> str:
    """The time of a fault."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def read_faults(file: Path) -> tuple[Fault, ...]:
    """The faults of the last 30 days, oldest first; a damaged line is passed over.

    Raises OSError when the file is there and cannot be read.
    """
    oldest = (datetime.now(UTC) - KEPT).isoformat()
    return tuple(fault for _, fault in _lines(file) if fault.time >= oldest)


class FaultLog:
    """Every fault of this process. A disk that refuses costs the file, not the record."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._all: deque[Fault] = deque(maxlen=IN_MEMORY)
        self._fresh: deque[Fault] = deque(maxlen=IN_MEMORY)
        self.lost = ""
        """Why the file could not be written; empty when it could."""

    def record(self, fault: Fault) -> None:
        """Keep a fault. Called from the host's thread and from plugins' threads."""
        with self._lock:
            self._all.append(fault)
            self._fresh.append(fault)
            if self._file is None or self.lost:
                return
            try:
                _append(self._file, fault)
            except OSError as error:
                self.lost = error.strerror or str(error)

    def drain(self) -> tuple[Fault, ...]:
        """The faults since the last call, for the session's log and the manifest."""
        with self._lock:
            fresh = tuple(self._fresh)
            self._fresh.clear()
        return fresh

    def recent(self) -> tuple[Fault, ...]:
        """The faults of the last 30 days: the file's when it can be read, else this process's."""
        with self._lock:
            mine = tuple(self._all)
        if self._file is None or self.lost:
            return mine
        try:
            return read_faults(self._file)
        except OSError as error:
            self.lost = error.strerror or str(error)
            return mine


def prune(file: Path) -> None:
    """Drop what is older than 30 days, or beyond the newest 4 MB. Raises OSError."""
    if not _worth_pruning(file):
        return
    from filelock import FileLock, Timeout

    try:
        with FileLock(f"{file}.lock", timeout=1):
            _rewrite(file)
    except Timeout:
        return  # another process is at it


def _worth_pruning(file: Path) -> bool:
    if not file.exists():
        return False
    oldest = (datetime.now(UTC) - KEPT).isoformat()
    first = next((fault for _, fault in _lines(file)), None)
    return file.stat().st_size > READ_BYTES or (first is not None and first.time < oldest)


def _rewrite(file: Path) -> None:
    oldest = (datetime.now(UTC) - KEPT).isoformat()
    kept = [line for line, fault in _lines(file) if fault.time >= oldest]
    while sum(map(len, kept)) > READ_BYTES // 2:
        kept = kept[len(kept) // 2 :]
    fresh = file.with_suffix(".new")
    with _open_private(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as out:
        out.writelines(kept)
    fresh.replace(file)


def _append(file: Path, fault: Fault) -> None:
    private(file.parent)
    line = json.dumps(asdict(fault), ensure_ascii=True) + "\n"
    with _open_private(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as out:
        out.write(line.encode("ascii"))


def _open_private(file: Path, flags: int) -> Any:
    return os.fdopen(os.open(file, flags, 0o600), "wb")


def _lines(file: Path) -> Iterator[tuple[bytes, Fault]]:
    if not file.exists():
        return
    with open_regular(file, follow=True) as lines:
        if (size := file.stat().st_size) > READ_BYTES:
            lines.seek(size - READ_BYTES)
            lines.readline()
        for line in lines:
            if (fault := _parsed(line)) is not None:
                yield line, fault


def _parsed(line: bytes) -> Fault | None:
    try:
        data = json.loads(line)
        known = {field.name for field in fields(Fault)}
        fault = Fault(**{key: value for key, value in data.items() if key in known})
        return fault if all(isinstance(getattr(fault, name), str) for name in _WORDS) else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
