"""Quotes: a few lines of a place, verbatim, and what its documentation says first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from novacore.models.navigator.places import Place
from novacore.models.navigator.results import Piece

MAX_LINES = 12
MAX_COLUMNS = 160
"""Characters of a quoted line; a longer one is cut, with a sign."""
MAX_SENTENCE = 240
ENOUGH = 0.6
"""Of the most matches in a window: with so many of them, the beginning is the better quote."""

_LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "rs": "rust", "rb": "ruby", "yml": "yaml",
}  # fmt: skip
_DOCSTRING = re.compile(r"\s*[rRuU]?(\"\"\"|''')(.*?)(?:\1|\Z)", re.DOTALL)
_COMMENT = re.compile(r"\s*(?:/\*\*?|//+!?|#+(?!\[|include)|\*(?=\s))\s?(.*?)(?:\*/)?\s*\Z")
_SENTENCE = re.compile(r"(.+?[.!?。])(?:\s|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Lines ``first`` to ``last`` of a file as they stand in it."""

    first: int
    last: int
    text: str


def quote_of(place: Place, piece: Piece) -> Quote:
    """At most 12 lines: all of a short place, else those around most of its matches."""
    lines = piece.lines
    start = 0
    if len(lines) > MAX_LINES:
        start = _best_start(lines, [n - piece.first for n in place.focus])
    end = min(len(lines), start + MAX_LINES)
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    shown = "\n".join(_cut(line) for line in lines[start:end])
    return Quote(first=piece.first + start, last=piece.first + end - 1, text=shown)


def says(piece: Piece) -> str:
    """The first sentence of a docstring or of a comment, where the piece opens with one."""
    text = "\n".join(piece.lines)
    for body in _bodies(text):
        if found := _DOCSTRING.match(body):
            return _sentence(found[2])
    comments = []
    for line in piece.lines[:6]:
        found = _COMMENT.match(line)
        if found and line.strip():
            comments.append(found[1])
        elif comments:
            break
    return _sentence(" ".join(comments))


def language_of(path: str) -> str:
    """The word after a fence that most viewers know."""
    ending = path.rsplit(".", 1)[-1].lower() if "." in path.rsplit("/", 1)[-1] else ""
    return _LANGUAGES.get(ending, ending)


def _best_start(lines: Sequence[str], focus: Sequence[int]) -> int:
    """Where the window holds most of the focus; the beginning, where it does as well."""
    inside = [index for index in focus if 0 <= index < len(lines)]
    last = len(lines) - MAX_LINES

    def held(start: int) -> int:
        return len([index for index in inside if start <= index < start + MAX_LINES])

    best = max(range(last + 1), key=lambda start: (held(start), -start))
    if held(0) >= ENOUGH * held(best):
        return 0
    # A line or two before the first match shows what it belongs to.
    first = min(index for index in inside if best <= index < best + MAX_LINES)
    return min(max(0, first - 2), last)


def _bodies(text: str) -> list[str]:
    """What stands after the signature of a Python declaration, and the text itself."""
    found = re.match(r"(?:\s*@[^\n]*\n)*\s*(?:async )?(?:def|class)\b.*?:\s*\n", text, re.DOTALL)
    return [text[found.end() :], text] if found else [text]


def _sentence(text: str) -> str:
    words = " ".join(re.sub(r"\n\s*\*? ?", "\n", text).split())
    found = _SENTENCE.match(words)
    first = found[1] if found else words
    return first if len(first) <= MAX_SENTENCE else f"{first[:MAX_SENTENCE].rstrip()}…"


def _cut(line: str) -> str:
    return line if len(line) <= MAX_COLUMNS else f"{line[:MAX_COLUMNS]}…"
