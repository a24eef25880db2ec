"""Regular expressions over a stored text, bounded in time and in what is shown."""

from __future__ import annotations

import re
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

_BLOCK = 2**16
_LINE_BOUND = re.compile(r"\\[AZzG]|\(\?(?![a-z]*[:)])|[*+?}]\+")
"""What may match in a line and not in the block around it: anchors, look-arounds, possessives."""


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
    import regex

    deadline, number, start = time.monotonic() + SECONDS, 0, 0
    quick = None if _LINE_BOUND.search(pattern.pattern) else regex.compile(pattern.pattern, regex.M)
    for block in _blocks(file):
        if quick is not None and not _found(quick, block, deadline):
            number, start = number + block.count(b"\n"), start + len(block)
            continue
        for raw in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            line = raw.removesuffix(b"\r").decode("utf-8", "replace")
            for at, text, before in _line_hits(pattern, line, deadline):
                place = start + before
                yield Hit(path=path, line=number, text=text, column=at + 1, start_byte=place)
            start += len(raw) + 1


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Whole lines, many at a time: a look at each line alone is twenty times dearer."""
    file.seek(0)
    while block := file.read(_BLOCK):
        yield block if block.endswith(b"\n") else block + file.readline()


def _found(pattern: regex.Pattern[str], block: bytes, deadline: float) -> bool:
    text = block.decode("utf-8", "replace").replace("\r\n", "\n")
    return pattern.search(text, timeout=_left(deadline)) is not None


def _line_hits(
    pattern: regex.Pattern[str], line: str, deadline: float
) -> Iterator[tuple[int, str, int]]:
    """Column (0-based), excerpt and bytes before each match; one match an excerpt."""
    position = seen = before = 0
    while found := pattern.search(line, position, timeout=_left(deadline)):
        at = found.start()
        before, seen = before + len(line[seen:at].encode()), at
        begin = max(0, at - EXCERPT // 3) if len(line) > EXCERPT else 0
        yield at, line[begin : begin + EXCERPT], before
        position = begin + EXCERPT
        if position >= len(line):
            return


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
