"""Unified diffs that stay readable and quick at any size."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence

from novacore.code.text import lines_of

MAX_CHARS = 1_000_000
"""Of a diff; a person is asked about all of it."""
SHORT_LINES = 400
SHORT_CHARS = 30_000
MAX_COMPARED = 20_000
"""Lines between the first and the last difference up to which single changes are told apart."""
MAX_PAIRS = 500_000
"""Of equal lines, up to which that is done for more lines as well."""

_CONTEXT = 3
_CUT = "... "


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
    hunks = _hunks if _comparable(old_part, new_part) else _replaced
    body = list(hunks(old_part, new_part, skipped))
    # A line break in a name would pass the rest of it off as lines of the change.
    name = path.replace("\n", "\\n").replace("\r", "\\r")
    head = [f"--- a/{name}", f"+++ b/{name}"]
    return "\n".join([*head, *_bounded(body, len(body), MAX_CHARS)]) + "\n"


def shortened(diff: str) -> str:
    """The beginning of a diff, for a log or a list of steps."""
    return "\n".join([*_bounded(diff.split("\n")[:-1], SHORT_LINES, SHORT_CHARS), ""])


def is_cut(diff: str) -> bool:
    """Whether a diff does not show all of the change."""
    return diff.rpartition("\n")[0].rpartition("\n")[2].startswith(_CUT)


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


def _comparable(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether a comparison takes a bounded time: difflib looks at every pair of equal lines."""
    if max(len(old), len(new)) <= MAX_COMPARED:
        return True
    there = Counter(new)
    return sum(count * there[line] for line, count in Counter(old).items()) <= MAX_PAIRS


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


def _replaced(old: Sequence[str], new: Sequence[str], offset: int) -> Iterator[str]:
    """One hunk without a comparison, which would take too long."""
    old_span, new_span = (_span(offset, offset + len(part)) for part in (old, new))
    yield f"@@ -{old_span} +{new_span} @@ too long to compare line by line"
    yield from _marked("-", old)
    yield from _marked("+", new)


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


def _bounded(body: Sequence[str], lines: int, chars: int) -> Iterator[str]:
    used = 0
    for number, line in enumerate(body):
        used += len(line) + 1
        if number >= lines or used > chars:
            yield f"{_CUT}{len(body) - number:,} more lines of this diff are not shown"
            return
        yield line
