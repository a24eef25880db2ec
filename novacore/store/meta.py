"""``meta.json``: what a list shows of a session, derived from its log and never more than that."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from novacore.errors import NewerLog
from novacore.store.jsontext import from_bytes, to_bytes
from novacore.store.private import read_private, write_private
from novacore.store.records import Scanned, scan
from novacore.types import JSON, Event

NAME = "meta.json"
LOG_NAME = "events.jsonl"
TITLE_CHARS = 80
MAX_DAMAGED = 20
"""Damaged lines that are described; the others are only counted."""

_FROM_SESSION = ("cwd", "model", "mode", "repository", "principal", "parent", "kind", "provider")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMeta:
    """A session as a list shows it. ``bytes`` and ``log_lines`` are how far the log was read."""

    id: str
    title: str = ""
    cwd: str = ""
    model: str = ""
    provider: str = ""
    mode: str = ""
    repository: str = ""
    principal: str = ""
    parent: str = ""
    kind: str = ""
    created: str = ""
    updated: str = ""
    turns: int = 0
    events: int = 0
    last_seq: int = 0
    bytes: int = 0
    log_lines: int = 0
    damaged: tuple[str, ...] = ()
    """Lines of the log that were skipped, in words."""


def current_meta(folder: Path) -> SessionMeta:
    """The meta of a session folder, brought up to date with its log; writes ``meta.json`` if so.

    A missing or damaged ``meta.json`` is made again. Raises OSError when there is no log.
    """
    log = folder / LOG_NAME
    size = log.stat().st_size
    known = _read(folder)
    if known.bytes == size:
        return known
    if known.bytes > size:
        known = SessionMeta(id=folder.name)
    try:
        whole = scan(log, start=known.bytes, line=known.log_lines, whole=True)
        meta = advance(known, whole)
    except NewerLog as error:
        return replace(known, damaged=(*known.damaged, str(error)))
    if meta != known:
        # Only a copy of what the log says: where the disk refuses, it is derived again next time.
        with suppress(OSError):
            write_private(folder / NAME, to_bytes(asdict(meta)))
    return meta


def advance(meta: SessionMeta, lines: Iterable[Scanned]) -> SessionMeta:
    """``meta`` after further lines of the log."""
    values = asdict(meta)
    damaged = list(meta.damaged)
    for scanned in lines:
        values["bytes"], values["log_lines"] = scanned.end, scanned.line
        for item in scanned.items:
            if isinstance(item, Event):
                _take(values, item)
            elif len(damaged) < MAX_DAMAGED:
                damaged.append(f"line {item.line}: {item.reason}")
    return SessionMeta(**{**values, "damaged": tuple(damaged)})


def _take(values: JSON, event: Event) -> None:
    values["events"] += 1
    values["last_seq"] = max(values["last_seq"], event.seq)
    values["turns"] = max(values["turns"], event.turn)
    values["created"] = values["created"] or event.ts
    values["updated"] = event.ts
    if event.kind == "session":
        values |= {key: str(event.data[key]) for key in _FROM_SESSION if event.data.get(key)}
    elif event.kind == "user" and not values["title"]:
        values["title"] = _title(str(event.data.get("text", "")))
    elif event.kind == "assistant" and event.data.get("model"):
        values["model"] = str(event.data["model"])
    elif event.kind == "update" and event.data.get("mode"):
        values["mode"] = str(event.data["mode"])


def _title(text: str) -> str:
    line = " ".join(text[:2_000].split())
    return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1]}…"


def _read(folder: Path) -> SessionMeta:
    try:
        value = from_bytes(read_private(folder / NAME))
    except (OSError, ValueError):
        return SessionMeta(id=folder.name)
    return _checked(value, folder.name) or SessionMeta(id=folder.name)


def _checked(value: Any, id: str) -> SessionMeta | None:
    names = {field.name: field.type for field in fields(SessionMeta)}
    if not isinstance(value, dict) or set(value) != set(names) or value["id"] != id:
        return None
    for name, kind in names.items():
        wanted = {"str": str, "int": int}.get(str(kind), list)
        if type(value[name]) is not wanted:
            return None
    return SessionMeta(**{**value, "damaged": tuple(map(str, value["damaged"]))})
