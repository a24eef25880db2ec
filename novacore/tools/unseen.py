"""What a terminal does not show: escape sequences, overstriking, characters without a width.

Put inside a secret, it would keep the secret's shape from being recognised.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_HINT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_SEQUENCES = (
    r"(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}[@-~]"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d\r\n]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[PX^_][^\x1b\r\n]{0,4096}\x1b\\"
    r"|\x1b[ -/]{0,16}[0-~]?"
)
"""ECMA-48: control sequences, operating system commands, other strings, short escapes."""
_UNSEEN = re.compile(f"{_SEQUENCES}|{_HINT.pattern}")
_OVERSTRUCK = re.compile(rf"[^\n\x08]\x08|{_UNSEEN.pattern}")


@dataclass(frozen=True, slots=True)
class Seen:
    """``text`` as it would be seen; ``starts`` and ``places``: where its pieces lay."""

    text: str
    starts: tuple[int, ...]
    places: tuple[int, ...]

    def place(self, offset: int) -> int:
        """Where the character at ``offset`` lay in the original."""
        piece = bisect_right(self.starts, offset) - 1
        return self.places[piece] + offset - self.starts[piece]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``start`` to ``end`` (not empty) lay, with all that stood between."""
        return self.place(start), self.place(end - 1) + 1


def seen(text: str) -> Seen | None:
    """``text`` without what is not seen; None where all of it is."""
    if _HINT.search(text) is None:
        return None
    pieces, starts, places = [], [0], [0]
    last = length = 0
    for found in (_OVERSTRUCK if "\x08" in text else _UNSEEN).finditer(text):
        pieces.append(text[last : found.start()])
        length += found.start() - last
        last = found.end()
        starts.append(length)
        places.append(last)
    pieces.append(text[last:])
    return Seen("".join(pieces), tuple(starts), tuple(places))
