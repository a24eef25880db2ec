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
    old, new = lines_of(before), lines_of(after)
    head, tail = _common(old, new)
    start = max(0, head - _CONTEXT)
    old_part = old[start : len(old) - max(0, tail - _CONTEXT)]
    new_part = new[start : len(new) - max(0, tail - _CONTEXT)]
    if max(len(old_part), len(new_part)) > MAX_COMPARED:
        body = [
            f"@@ -{start + 1},{len(old_part)} +{start + 1},{len(new_part)} @@ too large to show"
        ]
    else:
        body = list(_hunks(old_part, new_part, start))
    return "\n".join([f"--- a/{path}", f"+++ b/{path}", *_bounded(body)]) + "\n"


def _all_crlf(text: str) -> bool:
    return text.count("\n") == text.count("\r\n")


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Equal lines at the start and, without those, at the end."""
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    rest = most - head
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    return head, tail


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
