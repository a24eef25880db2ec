"""The SQLite file behind the search: what was read how far, and the passages with their words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from novacore.store.passages import Passage
from novacore.store.private import private_folder
from novacore.store.terms import indexed

SCHEMA = 1
"""Raise it when tables or terms change: an index of another schema is made again."""

_TABLES = """
CREATE TABLE IF NOT EXISTS sources (
    source TEXT PRIMARY KEY, mine INTEGER, state TEXT, bytes INTEGER, lines INTEGER);
CREATE TABLE IF NOT EXISTS passages (
    id INTEGER PRIMARY KEY, source TEXT, key TEXT, uri TEXT, kind TEXT, time TEXT, text TEXT,
    version TEXT);
CREATE INDEX IF NOT EXISTS by_source ON passages(source);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(terms, tokenize = 'unicode61');
"""
_SOURCES = "SELECT source, mine, state, bytes, lines FROM sources"
_BUSY_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """How far a source was read. ``state`` tells whether it is still the same file."""

    mine: bool = True
    state: str = ""
    bytes: int = 0
    lines: int = 0


def connect(path: Path | None) -> sqlite3.Connection:
    """Open or make the index (0600); in memory without a path. Raises sqlite3.Error, OSError."""
    if path is not None:
        private_folder(path.parent)
        if not path.exists():
            path.touch(mode=0o600)
    database = sqlite3.connect(path or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        # What a power cut takes of a cache is made again: no sync at every commit.
        database.execute("PRAGMA synchronous = NORMAL")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version not in (0, SCHEMA):
            raise sqlite3.DatabaseError(f"index of schema {version}")
        if version == 0:
            # Readers and the one that indexes do not wait for each other.
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;"
            )
    except BaseException:
        database.close()
        raise
    return database


def is_damaged(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, not a lock, a full disk or a missing right."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def known_sources(database: sqlite3.Connection) -> dict[str, SourceState]:
    """Every source by name."""
    rows = database.execute(_SOURCES)
    return {name: _state(*fields) for name, *fields in rows}


def known_source(database: sqlite3.Connection, name: str) -> SourceState | None:
    """One source, as it is at this moment."""
    row = database.execute(f"{_SOURCES} WHERE source = ?", (name,)).fetchone()
    return None if row is None else _state(*row[1:])


def _state(mine: int, state: str, size: int, lines: int) -> SourceState:
    return SourceState(mine=bool(mine), state=state, bytes=size, lines=lines)


def save_source(database: sqlite3.Connection, source: str, state: SourceState) -> None:
    """Record how far a source was read."""
    database.execute(
        "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?)",
        (source, state.mine, state.state, state.bytes, state.lines),
    )


def forget_source(database: sqlite3.Connection, source: str) -> None:
    """Remove a source with its passages."""
    database.execute(
        "DELETE FROM words WHERE rowid IN (SELECT id FROM passages WHERE source = ?)", (source,)
    )
    database.execute("DELETE FROM passages WHERE source = ?", (source,))
    database.execute("DELETE FROM sources WHERE source = ?", (source,))


def add_passages(database: sqlite3.Connection, source: str, items: Iterable[Passage]) -> None:
    """Add passages of a source."""
    for item in items:
        row = database.execute(
            "INSERT INTO passages (source, key, uri, kind, time, text, version)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (source, item.key, item.uri, item.kind, item.time, item.text, item.version),
        )
        database.execute(
            "INSERT INTO words (rowid, terms) VALUES (?, ?)", (row.lastrowid, indexed(item.text))
        )


def best(
    database: sqlite3.Connection,
    expression: str,
    *,
    limit: int,
    sources: Sequence[str],
) -> list[tuple[Passage, float]]:
    """Passages of ``sources`` that match, best first, with a score (higher is better)."""
    database.execute("CREATE TEMP TABLE IF NOT EXISTS wanted (source TEXT PRIMARY KEY)")
    database.execute("DELETE FROM wanted")
    database.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", [(s,) for s in sources])
    rows = database.execute(
        "SELECT key, uri, kind, time, text, version, bm25(words) AS rank FROM words"
        " JOIN passages ON passages.id = words.rowid JOIN wanted USING (source)"
        " WHERE words MATCH ? ORDER BY rank, time DESC, key LIMIT ?",
        (expression, limit),
    )
    return [
        (Passage(key=k, uri=u, kind=kind, time=t, text=text, version=v), -rank)
        for k, u, kind, t, text, v, rank in rows
    ]
