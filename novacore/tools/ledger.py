"""What the window holds of files and searches, so that nothing is said twice for nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from novacore.code.text import version_of

MAX_CONTENT_BYTES = 32_000_000
"""Of remembered file contents, the oldest of which go first."""
MAX_MISSES = 1_000


@dataclass(frozen=True, slots=True)
class Miss:
    """A query that found nothing; it says nothing about what was not searched."""

    tool: str
    query: str
    scope: str


class ReadLedger:
    """One session's reads. Keys are paths as the tools show them; versions are content hashes."""

    def __init__(self) -> None:
        self._reads: set[tuple[str, str, str]] = set()
        self._answers: Counter[tuple[str, str]] = Counter()
        self._contents: dict[tuple[str, str], bytes] = {}
        self._misses: list[Miss] = []

    @property
    def misses(self) -> tuple[Miss, ...]:
        """Queries without a result, oldest first."""
        return tuple(self._misses)

    def note_read(self, path: str, what: str, version: str) -> bool:
        """Record that the text of ``what`` (a range) enters the window; False if it is there."""
        key = (path, what, version)
        fresh = key not in self._reads
        self._reads.add(key)
        return fresh

    def note_content(self, path: str, data: bytes) -> None:
        """Remember the file as the model knows it now."""
        key = (path, version_of(data))
        self._contents.pop(key, None)
        self._contents[key] = data
        while (
            len(self._contents) > 1 and sum(map(len, self._contents.values())) > MAX_CONTENT_BYTES
        ):
            self._contents.pop(next(iter(self._contents)))

    def last_seen(self, path: str, version: str = "") -> bytes | None:
        """The file as the model last saw it, or as it was in ``version``; None when unknown."""
        if version:
            return self._contents.get((path, version))
        seen = (data for (known, _), data in reversed(self._contents.items()) if known == path)
        return next(seen, None)

    def note_answer(self, query: str, answer: str) -> int:
        """How often this query has had this answer since the window was rebuilt, this time too."""
        key = (query, version_of(answer.encode("utf-8", "surrogatepass")))
        self._answers[key] += 1
        return self._answers[key]

    def note_miss(self, tool: str, query: str, scope: str) -> None:
        """Record that a query found nothing in ``scope``."""
        self._misses.append(Miss(tool, query, scope))
        del self._misses[:-MAX_MISSES]

    def forget_all(self) -> None:
        """The window was rebuilt or rewound: what was read may not be in it any more.

        Contents stay: they serve to place edits that were made for an older version.
        """
        self._reads.clear()
        self._answers.clear()
