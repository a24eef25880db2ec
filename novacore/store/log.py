"""The event log of one session: append-only, the truth that everything else is derived from."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from novacore.errors import DiskRefused, SessionLocked, StoreError
from novacore.store.ids import EventIds, timestamp
from novacore.store.jsontext import from_bytes
from novacore.store.lines import append_line, read_lines
from novacore.store.private import refusal
from novacore.store.records import encode, items_of, scan
from novacore.types import Event, SkippedLine


class EventLog:
    """Events in order. Made by ``create`` or ``open``; safe for several threads, one process.

    While the disk refuses, events stay in ``events`` and are written, in order, with the next
    ``append`` that succeeds.
    """

    def __init__(
        self,
        path: Path,
        events: list[Event],
        skipped: tuple[SkippedLine, ...],
        *,
        clock: Callable[[], float],
        read_only: bool,
    ) -> None:
        self.path = path
        self.events = events
        self.skipped = skipped
        """Damaged lines, at the time of loading."""
        self.refused: DiskRefused | None = None
        """Why the disk refuses at present; None when everything is written."""
        self._clock = clock
        self._read_only = read_only
        self._written = len(events)
        self._seq = max((event.seq for event in events), default=0)
        self._ids = EventIds(clock, after=events[-1].id if events else "")
        self._warned = False
        self._lock = threading.Lock()

    @classmethod
    def create(cls, path: Path, *, clock: Callable[[], float] = time.time) -> EventLog:
        """An empty log; its file comes with the first event. Raises StoreError if there is one."""
        if path.exists():
            raise StoreError(f"{path} exists already; open it instead")
        return cls(path, [], (), clock=clock, read_only=False)

    @classmethod
    def open(
        cls, path: Path, *, clock: Callable[[], float] = time.time, read_only: bool = False
    ) -> EventLog:
        """Load a log, writing nothing. Raises NewerLog, and StoreError when it cannot be read."""
        events: list[Event] = []
        skipped: list[SkippedLine] = []
        try:
            for scanned in scan(path):
                for item in scanned.items:
                    if isinstance(item, SkippedLine):
                        skipped.append(item)
                    elif events and events[-1].id == item.id:
                        # A write that was taken although a failure was reported, and its retry.
                        skipped.append(SkippedLine(line=scanned.line, reason="written twice"))
                    else:
                        events.append(item)
        except OSError as error:
            raise StoreError(f"cannot read {path}: {error.strerror}") from error
        return cls(path, events, tuple(skipped), clock=clock, read_only=read_only)

    @property
    def unwritten(self) -> int:
        """Events that the disk has not taken yet."""
        return len(self.events) - self._written

    def append(
        self, kind: str, data: Mapping[str, Any], *, by: str, turn: int, sync: bool = False
    ) -> Event:
        """Add an event; with ``sync`` it is on the disk on return, unless ``refused`` says why not.

        Its ``data`` is what a later load would give. Raises SessionLocked on a log that was opened
        for reading, TypeError for data that is no JSON; never for the disk.
        """
        if self._read_only:
            raise SessionLocked(f"{self.path.parent.name} is open for reading; fork it to go on")
        with self._lock:
            event = Event(
                seq=self._seq + 1,
                id=self._ids.next(),
                ts=timestamp(self._clock()),
                kind=str(kind),
                by=str(by),
                turn=turn,
                data=data,
            )
            line = encode(event)
            self._seq = event.seq
            self.events.append(replace(event, data=from_bytes(line)["data"]))
            self._write(sync)
            return self.events[-1]

    def flush(self) -> bool:
        """Try again to write what the disk refused; True when nothing is left."""
        with self._lock:
            self._write(sync=True)
            return self.refused is None

    def take_warning(self) -> str:
        """One line for the user, once for every time that the disk begins to refuse; else empty."""
        if self.refused is None or self._warned:
            return ""
        self._warned = True
        return f"the session is kept in memory only: {self.refused}"

    def read_at(self, offset: int) -> Event:
        """The event of the line at byte ``offset``. Raises StoreError when there is none."""
        try:
            lines = list(islice(read_lines(self.path, start=max(offset, 0)), 1))
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {error.strerror}") from error
        found = [item for raw in lines for item in items_of(raw) if isinstance(item, Event)]
        if not found or found[0].offset != offset:
            raise StoreError(f"{self.path} holds no record at byte {offset}")
        return found[0]

    def _write(self, sync: bool) -> None:
        try:
            while self._written < len(self.events):
                event = self.events[self._written]
                last = self._written == len(self.events) - 1
                offset = append_line(self.path, encode(event), sync=sync and last)
                self.events[self._written] = replace(event, offset=offset)
                self._written += 1
        except OSError as error:
            self.refused = refusal(error, self.path)
        else:
            self.refused = None
            self._warned = False
