"""Search over a principal's past sessions of a repository, and the memory files beside them."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from novacore.services import Remembered
from novacore.store import pastdb
from novacore.store.folder import SESSIONS
from novacore.store.memory import MemoryPlace
from novacore.store.passages import Passage
from novacore.store.pastindex import Scope, memory_source, refresh
from novacore.store.terms import query

BUILD_SECONDS = 2.0
"""Time that one search spends on reading what is new; the rest waits for the next search."""

_SIDE_FILES = ("", "-wal", "-shm", "-journal")


class PastIndex:
    """A ``services.PastReader``. Its file is one of the cache: deleting it loses nothing.

    One file a principal and repository, so that what others said never takes part in a ranking;
    ``repository=None`` is for a principal's search over all of theirs.
    """

    def __init__(
        self,
        *,
        cache: Path,
        state: Path,
        principal: str,
        repository: str | None,
        places: Sequence[MemoryPlace] = (),
        build_seconds: float = BUILD_SECONDS,
    ) -> None:
        owner = f"{principal}\0{'*' if repository is None else repository}"
        name = hashlib.sha256(owner.encode("utf-8", "replace")).hexdigest()[:32]
        self.path = cache / "past" / f"{name}.sqlite"
        self._scope = Scope(
            sessions=state / SESSIONS,
            principal=principal,
            repository=repository,
            places=tuple(places),
        )
        self._seconds = build_seconds

    def search(
        self, text: str, *, limit: int, exclude_session: str = "", memory_only: bool = False
    ) -> Sequence[Remembered]:
        """Best first, a passage for each event or file; nothing where no word is known.

        Kinds: ``user``, ``assistant``, ``tool``, ``narrative``, ``memory``.
        """
        expression = query(text)
        if not expression or limit < 1:
            return ()
        with self._database() as database:
            sources = [memory_source(place) for place in self._scope.places]
            if not memory_only:
                sources += [
                    name
                    for name, source in pastdb.known_sources(database).items()
                    if source.mine and name != exclude_session and not name.startswith("mem:")
                ]
            found = pastdb.best(database, expression, limit=5 * limit + 20, sources=sources)
        return tuple(_remembered(passage, score) for passage, score in _distinct(found)[:limit])

    def refresh(self) -> None:
        """Read what is new, as a search would do it."""
        with self._database():
            pass

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """The index, fresh: made again when damaged, in memory where the cache is not writable."""
        with closing(self._fresh()) as database:
            yield database

    def _fresh(self) -> sqlite3.Connection:
        for path in (self.path, self.path, None):
            try:
                return self._refreshed(path)
            except sqlite3.Error as error:
                if path is None:
                    raise
                if pastdb.is_damaged(error):
                    self._remove()
            except OSError:
                if path is None:
                    raise
        raise AssertionError("the last path returns or raises")

    def _refreshed(self, path: Path | None) -> sqlite3.Connection:
        database = pastdb.connect(path)
        try:
            refresh(database, self._scope, seconds=self._seconds)
        except BaseException:
            database.close()
            raise
        return database

    def _remove(self) -> None:
        for suffix in _SIDE_FILES:
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)


def _distinct(found: Sequence[tuple[Passage, float]]) -> list[tuple[Passage, float]]:
    """One passage an event and a text: a fork holds copies of its parent's events."""
    seen: set[str] = set()
    kept = []
    for passage, score in found:
        if passage.uri in seen or passage.text in seen:
            continue
        seen |= {passage.uri, passage.text}
        kept.append((passage, score))
    return kept


def _remembered(passage: Passage, score: float) -> Remembered:
    return Remembered(
        key=passage.key,
        text=passage.text,
        uri=passage.uri,
        time=passage.time,
        score=score,
        kind=passage.kind,
        version=passage.version,
    )
