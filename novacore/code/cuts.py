"""Pieces of a file that fit a budget."""

from __future__ import annotations

from novacore.code.text import char_start
from novacore.tokens import estimate

MAX_CHARS = 40_000
"""Of one answer: under the 50,000 from which a result leaves its message."""


def fits(data: bytes, max_tokens: int) -> bool:
    """Whether all of ``data`` (UTF-8, or nearly) may be shown."""
    if len(data) > 4 * MAX_CHARS:
        return False
    text = data.decode("utf-8", "replace")
    return len(text) <= MAX_CHARS and estimate(text) <= max_tokens


def whole_lines(data: bytes, start: int, end: int, max_tokens: int) -> int:
    """The offset behind the last whole line of ``data[start:end]`` that fits, else ``start``.

    A line begins at ``start``.
    """
    size = min(end - start, 4 * MAX_CHARS)
    while size > 0:
        stop = end if start + size >= end else data.rfind(b"\n", start, start + size) + 1
        if stop <= start:
            return start
        if fits(data[start:stop], max_tokens):
            return stop
        size = (stop - start) * 3 // 4
    return start


def characters(data: bytes, start: int, end: int, max_tokens: int) -> tuple[int, int]:
    """``start`` and ``end`` moved back to characters, and ``end`` to where the piece still fits."""
    start, stop = char_start(data, start), char_start(data, end)
    while stop > start and not fits(data[start:stop], max_tokens):
        size = min(stop - start, 4 * MAX_CHARS)
        stop = char_start(data, start + size * 3 // 4)
    return start, stop
