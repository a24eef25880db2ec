"""Records of a session's log: one event as one line, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from novacore.errors import NewerLog
from novacore.store.jsontext import from_bytes, to_bytes
from novacore.store.lines import RawLine, read_lines
from novacore.types import JSON, LOG_VERSION, Event, SkippedLine

UPGRADES: Mapping[int, Callable[[JSON], JSON]] = {}
"""By version: the pure function that turns a record into one of the next version."""

_BEGINNING = b'{"v":%d,"seq":' % LOG_VERSION
_FIELDS = {"v": int, "seq": int, "id": str, "ts": str, "kind": str, "by": str, "turn": int}


@dataclass(frozen=True, slots=True)
class Scanned:
    """What one line of a log holds. ``end`` is the byte offset behind it, ``line`` its number."""

    items: tuple[Event | SkippedLine, ...]
    line: int
    end: int


def encode(event: Event) -> bytes:
    """The line of ``event``, newline included."""
    fields: dict[str, Any] = {name: getattr(event, name) for name in _FIELDS}
    return to_bytes({**fields, "data": event.data}) + b"\n"


def decode(data: bytes, offset: int) -> Event:
    """The event of a line. Raises ValueError with the reason when it is damaged, NewerLog."""
    record = _record(data)
    while record["v"] < LOG_VERSION:
        if record["v"] not in UPGRADES:
            raise ValueError(f"unknown version {record['v']}")
        record = UPGRADES[record["v"]](record)
    fields: dict[str, Any] = {name: record[name] for name in _FIELDS}
    fields["kind"], fields["by"] = sys.intern(record["kind"]), sys.intern(record["by"])
    return Event(**fields, data=record["data"], offset=offset)


def scan(path: Path, *, start: int = 0, line: int = 0, whole: bool = False) -> Iterator[Scanned]:
    """Read a log from byte ``start`` (behind line number ``line``) on; damaged lines as such.

    ``whole`` leaves a last line without newline for later: another process may be writing it.
    Raises OSError, and NewerLog at the end when the last record is of a later version: a later
    release writes nothing else behind its first record, so a single one in between is damage.
    """
    newer: list[Scanned] = []
    for raw in read_lines(path, start=start, number=line):
        if whole and not raw.whole:
            return
        try:
            scanned = Scanned(items_of(raw), raw.number, raw.end)
        except NewerLog as error:
            skipped = SkippedLine(line=raw.number, reason=str(error))
            newer.append(Scanned((skipped,), raw.number, raw.end))
            continue
        if any(isinstance(item, Event) for item in scanned.items):
            yield from newer
            newer = []
        yield scanned
    if newer:
        raise NewerLog(f"{path.parent.name} was written by a later release; update NovaCore")


def items_of(raw: RawLine) -> tuple[Event | SkippedLine, ...]:
    """The event of a line, or why it was skipped. Raises NewerLog.

    Where the damage hit the newline between two records, both are found again.
    """
    try:
        return (decode(raw.data, raw.start),)
    except ValueError as error:
        skipped = SkippedLine(line=raw.number, reason=str(error))
    # Inside a string the quotes would be escaped: this can only be the beginning of a record.
    at = raw.data.rfind(_BEGINNING)
    if at <= 0:
        return (skipped,)
    before = _salvaged(raw.data[: at - 1], raw.start) or _salvaged(raw.data[:at], raw.start)
    return (*before, skipped, *_salvaged(raw.data[at:], raw.start + at))


def _salvaged(data: bytes, offset: int) -> tuple[Event, ...]:
    try:
        return (decode(data, offset),)
    except (ValueError, NewerLog):
        return ()


def _record(data: bytes) -> JSON:
    if b"\0" in data:
        raise ValueError("filled with NUL bytes")
    if not data.strip():
        raise ValueError("empty")
    try:
        record = from_bytes(data)
    except UnicodeDecodeError as error:
        raise ValueError("not UTF-8") from error
    except ValueError as error:
        raise ValueError("not a whole record") from error
    if not isinstance(record, dict) or not isinstance(record.get("data"), dict):
        raise ValueError("not a record")
    if type(version := record.get("v")) is int and version > LOG_VERSION:
        raise NewerLog(f"written by a later release (log version {version})")
    for name, kind in _FIELDS.items():
        if type(record.get(name)) is not kind:
            raise ValueError(f"not a record: {name} is missing or wrong")
    return record
