"""Edits that name their region by line numbers."""

from __future__ import annotations

from novacore.code.places import (
    Document,
    Edit,
    Place,
    Refusal,
    counterpart,
    offset_of_line,
    stale,
)
from novacore.code.text import lines_of

MAX_AROUND = 3
"""Lines on either side that may tell a region apart from others like it."""


def place_of_lines(
    edit: Edit, now: Document, seen: Document | None, *, fresh: bool
) -> list[Place] | Refusal:
    """The place of whole lines; numbers of an older version are moved to where those lines are."""
    first, last = edit.start_line, edit.end_line
    numbers = now if fresh else seen
    if numbers is None:
        why = "the file has changed since you read it, so line numbers may be wrong"
        return stale(now, first, max(first, last), why)
    total = len(lines_of(numbers.text))
    if first < 1 or last < first - 1 or last > total or first > total + 1:
        reason = f"lines {first}-{last} are no range of the {total} lines"
        return Refusal(status="failed", reason=f"{reason}; they are 1-based and inclusive")
    if fresh:
        return [_place(edit, now.text, first, last)]
    moved = _moved(numbers.text, now.text, first, last)
    if moved is None:
        where = counterpart(numbers.text, now.text, first, max(first, last))
        return stale(now, *where, "these lines have changed, or cannot be told apart any more")
    return [_place(edit, now.text, moved, moved + last - first, moved=True)]


def _place(edit: Edit, text: str, first: int, last: int, *, moved: bool = False) -> Place:
    start, end = offset_of_line(text, first), offset_of_line(text, last + 1)
    new = edit.new.replace("\r\n", "\n")
    if start == len(text) and text and not text.endswith("\n"):
        new = "\n" + new.removesuffix("\n")
    elif text[start:end].endswith("\n") or start == end < len(text):
        new = new if new.endswith("\n") or not new else new + "\n"
    elif end == len(text) and start < end:
        # The last line has no ending, and keeps none.
        new = new.removesuffix("\n")
    return Place(start=start, end=end, new=new, moved=moved)


def _moved(then: str, now: str, first: int, last: int) -> int | None:
    """Where the lines begin now: found by the least context that is unique in both versions."""
    old, new = _bare(then), _bare(now)
    for around in range(MAX_AROUND + 1):
        above = max(0, first - 1 - around)
        block = old[above : min(len(old), last + around)]
        if not block:
            continue
        if len(_starts(old, block)) == 1:
            found = _starts(new, block)
            return found[0] + (first - above) if len(found) == 1 else None
    return None


def _bare(text: str) -> list[str]:
    return [line.rstrip("\r\n") for line in lines_of(text)]


def _starts(lines: list[str], block: list[str]) -> list[int]:
    """0-based indices at which ``block`` stands, at most two."""
    found: list[int] = []
    index = -1
    while len(found) < 2:
        try:
            index = lines.index(block[0], index + 1)
        except ValueError:
            break
        if lines[index : index + len(block)] == block:
            found.append(index)
    return found
