"""Unified diffs that stay readable and quick at any size."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from novacore.code.text import lines_of

MAX_LINES = 400
MAX_CHARS = 30_000
MAX_COMPARED = 20_000
"""Lines between the first and the last difference up to which single changes are told apart."""

_CONTEXT = 3


def unified(path: str, before: str, after: str) -> str:
    """A unified diff with 3 lines of context, empty for equal texts; says what it leaves out."""
    if before == after:
        return ""
    if _all_crlf(before) and _all_crlf(after):
        before, after = before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
    start = _context_start(before, _equal(before, after))
    rest = min(len(before), len(after)) - start
    tail = _context_tail(before, _equal(before[::-1][:rest], after[::-1][:rest]))
    skipped = before.count("\n", 0, start)
    old_part = lines_of(before[start : len(before) - tail])
    new_part = lines_of(after[start : len(after) - tail])
    if max(len(old_part), len(new_part)) > MAX_COMPARED:
        body = [
            f"@@ -{start + 1},{len(old_part)} +{start + 1},{len(new_part)} @@ too large to show"
        ]
    else:
        body = list(_hunks(old_part, new_part, skipped))
    return "\n".join([f"--- a/{path}", f"+++ b/{path}", *_bounded(body)]) + "\n"


def _all_crlf(text: str) -> bool:
    return text.count("\n") == text.count("\r\n")


def _equal(one: str, other: str) -> int:
    """Characters that both begin with; by halves, since comparing slices is what is fast."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _context_start(text: str, offset: int) -> int:
    """The start of the line that is 3 above the one at ``offset``."""
    for _ in range(_CONTEXT + 1):
        offset = text.rfind("\n", 0, max(offset, 0))
        if offset < 0:
            return 0
    return offset + 1


def _context_tail(text: str, size: int) -> int:
    """How much of an equal end of ``size`` is left when 3 whole lines of it are shown."""
    at = len(text) - size
    for _ in range(_CONTEXT + 1):
        at = text.find("\n", at) + 1
        if not at:
            return 0
    return len(text) - at


def _hunks(old: Sequence[str], new: Sequence[str], offset: int) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        old_span = _span(first[1] + offset, last[2] + offset)
        new_span = _span(first[3] + offset, last[4] + offset)
        yield f"@@ -{old_span} +{new_span} @@"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from _marked(" ", old[i1:i2])
            else:
                yield from _marked("-", old[i1:i2])
                yield from _marked("+", new[j1:j2])


def _span(start: int, end: int) -> str:
    """As diff writes it: an empty range is named by the line before it."""
    size = end - start
    return f"{start + 1 if size else start},{size}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            # A changed line ending must be seen: it is no part of the line's text otherwise.
            yield mark + line[:-1].replace("\r", "␍")
        else:
            yield mark + line.replace("\r", "␍")
            yield "\\ No newline at end of file"


def _bounded(body: Sequence[str]) -> Iterator[str]:
    used = 0
    for number, line in enumerate(body):
        used += len(line) + 1
        if number >= MAX_LINES or used > MAX_CHARS:
            yield f"... {len(body) - number:,} more lines of this diff are not shown"
            return
        yield line
