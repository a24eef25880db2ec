"""Regular expressions over a stored text, bounded in time and in what is shown."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from novacore.errors import UsageError
from novacore.types import Hit

if TYPE_CHECKING:
    import regex

EXCERPT = 300
"""Characters of a line that a hit shows; a longer line has further hits beyond them."""

SECONDS = 5.0
"""A search that takes longer is refused: patterns come from a model and may backtrack for ever."""


def grep(file: BinaryIO, pattern: str, *, limit: int, path: str) -> tuple[Hit, ...]:
    """The first ``limit`` places that match, line by line (0x0a); ``column`` is 1-based.

    Raises UsageError for a pattern that is wrong or takes longer than ``SECONDS``.
    """
    import regex

    try:
        hits = _all_hits(file, regex.compile(pattern), path)
        return tuple(islice(hits, max(limit, 0)))
    except regex.error as error:
        raise UsageError(f"not a regular expression: {error}; escape special characters") from error
    except TimeoutError as error:
        raise UsageError("the pattern takes too long here; use a simpler one") from error


def _all_hits(file: BinaryIO, pattern: regex.Pattern[str], path: str) -> Iterator[Hit]:
    deadline, start = time.monotonic() + SECONDS, 0
    file.seek(0)
    for number, raw in enumerate(file, start=1):
        line = raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
        for at, text, before in _line_hits(pattern, line, deadline):
            yield Hit(path=path, line=number, text=text, column=at + 1, start_byte=start + before)
        start += len(raw)


def _line_hits(
    pattern: regex.Pattern[str], line: str, deadline: float
) -> Iterator[tuple[int, str, int]]:
    """Column (0-based), excerpt and bytes before each match; one match an excerpt."""
    position = seen = before = 0
    while found := pattern.search(line, position, timeout=max(deadline - time.monotonic(), 1e-3)):
        at = found.start()
        before, seen = before + len(line[seen:at].encode()), at
        begin = max(0, at - EXCERPT // 3) if len(line) > EXCERPT else 0
        yield at, line[begin : begin + EXCERPT], before
        position = begin + EXCERPT
        if position >= len(line):
            return
