"""Masking of parts of a file, so that a secret which the part cuts in two is hidden as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacore.tools.files import printable

if TYPE_CHECKING:
    from novacore.tools.secrets import Masker

AROUND = 10_000
"""Bytes or characters on either side that are looked at: more than any private key takes."""
HIDDEN = "[part of a secret]"

_MARK = "[secret:"


def masked_part(data: bytes, start: int, end: int, masker: Masker) -> str:
    """``data[start:end]`` (UTF-8) as a model may see it; a secret over an edge leaves its mark."""

    def mask(first: int, last: int) -> str:
        piece = data[max(0, first) : last].decode("utf-8", "surrogateescape")
        return masker.mask(printable(piece)).text

    before, after = mask(start - AROUND, start), mask(end, end + AROUND)
    whole = mask(start - AROUND, end + AROUND)
    head = _equal(before, whole)
    tail = _equal(after[::-1], whole[head:][::-1])
    return whole[_out_of_mark(whole, head) : _past_mark(whole, len(whole) - tail)]


def masked_line(text: str, offset: int, shown: str, masker: Masker) -> str:
    """``shown``, lines that stand around ``offset`` of ``text`` and may be shortened.

    A line that is part of a longer secret, as of a private key, is hidden.
    """
    piece = text[max(0, offset - AROUND) : offset + AROUND]
    around = masker.mask(printable(piece)).text
    lines = (masker.mask(line).text for line in printable(shown).split("\n"))
    return "\n".join(line if line.strip("…\r ") in around else HIDDEN for line in lines)


def _equal(one: str, other: str) -> int:
    """Characters that both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _out_of_mark(text: str, offset: int) -> int:
    """Before the mark that ``offset`` points into."""
    start = text.rfind(_MARK, 0, offset)
    return start if start >= 0 and "]" not in text[start:offset] else offset


def _past_mark(text: str, offset: int) -> int:
    start = text.rfind(_MARK, 0, offset)
    inside = start >= 0 and "]" not in text[start:offset]
    return text.find("]", offset) + 1 if inside else offset
