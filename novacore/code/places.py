"""Where an edit goes: what its three forms share."""

from __future__ import annotations

from dataclasses import dataclass

from novacore.code.text import Decoded, decode, lines_of
from novacore.types import Status

SHOWN_LINES = 60
SHOWN_CHARS = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One edit: ``old`` to ``new``, or a whole ``symbol``, or whole lines, to ``new``.

    Lines are 1-based and inclusive; ``end_line = start_line - 1`` inserts before ``start_line``.
    """

    old: str | None = None
    new: str = ""
    symbol: str = ""
    start_line: int = 0
    end_line: int = 0
    replace_all: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A version of a file. ``text`` keeps the file's own line endings."""

    path: str
    data: bytes
    decoded: Decoded

    @property
    def text(self) -> str:
        """The decoded text, without a byte order mark."""
        return self.decoded.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Characters ``start`` to ``end`` of the text become ``new``, whose lines end in ``\\n``."""

    start: int
    end: int
    new: str
    moved: bool = False
    """The region was found in another version than the one that the edit was made for."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why nothing is changed; ``text`` shows what is there now."""

    status: Status
    reason: str
    text: str = ""


def document(path: str, data: bytes) -> Document:
    """Open a file's bytes for editing."""
    return Document(path, data, decode(data))


def lf(text: str) -> str:
    """``text`` with ``\\n`` for ``\\r\\n``."""
    return text.replace("\r\n", "\n")


def offset_of_line(text: str, line: int) -> int:
    """Where 1-based ``line`` begins; the end of the text when there is no such line."""
    offset = 0
    for _ in range(line - 1):
        offset = text.find("\n", offset) + 1
        if not offset:
            return len(text)
    return offset


def line_of(text: str, offset: int) -> int:
    """The 1-based line of a character."""
    return text.count("\n", 0, offset) + 1


def numbered(text: str, first: int, last: int) -> str:
    """Lines ``first`` to ``last`` with their numbers, for looking, not for quoting; bounded."""
    start = offset_of_line(text, first)
    piece = text[start : start + SHOWN_CHARS]
    lines = lines_of(piece)[: min(last - first + 1, SHOWN_LINES)]
    shown = [f"{first + index:>5}\t{line.rstrip()}" for index, line in enumerate(lines)]
    left = last - first + 1 - len(shown)
    return "\n".join([*shown, f"... {left} more lines"] if left > 0 else shown)


def counterpart(then: str, now: str, first: int, last: int) -> tuple[int, int]:
    """The lines of ``now`` that stand where ``first`` to ``last`` stood in ``then``.

    Told by the equal lines around them, so it is exact when all changes lie to one side.
    """
    old, new = lines_of(then), lines_of(now)
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    tail = next((i for i in range(most - head) if old[-1 - i] != new[-1 - i]), most - head)
    shift = len(new) - len(old)
    start = first if first <= head else first + shift if first > len(old) - tail else head + 1
    end = last if last <= head else last + shift if last > len(old) - tail else len(new) - tail
    return max(1, start), max(start, min(end, len(new)))


def stale(now: Document, first: int, last: int, why: str) -> Refusal:
    """A refusal that shows the current lines, with two around them."""
    total = len(lines_of(now.text))
    begin, end = max(1, first - 2), min(total, last + 2)
    reason = f"{why}; nothing was changed. Lines {begin}-{end} as they are now are shown"
    return Refusal(status="stale", reason=reason, text=numbered(now.text, begin, end))
