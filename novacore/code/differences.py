"""Why a text that should be in a file is not: what stands there instead."""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass

from novacore.code.text import lines_of

MAX_CHARS = 2_000_000
"""Of the file, up to which a near text is looked for."""
MAX_TOLD = 3
MIN_SCORE = 70

_LOOKALIKES = str.maketrans(
    "‘’‚‛′“”„‟″«»‐‑‒–—―−аеорсухіјѕԁһοαν" + "АВЕКМНОРСТХ",
    '\'\'\'\'\'"""""""-------aeopcyxijsdhoav' + "ABEKMHOPCTX",
)
"""Quotes, dashes, Cyrillic and Greek letters that look like ASCII."""
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"))
_BLANKS = re.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True)
class Near:
    """Lines (1-based, inclusive) that hold nearly the text, and how they differ in words."""

    start_line: int
    end_line: int
    differences: tuple[str, ...]


def nearest(text: str, wanted: str) -> Near | None:
    """The place of ``text`` that is most like ``wanted``."""
    if len(text) > MAX_CHARS or not wanted.strip():
        return None
    line = _folded_line(text, wanted) or _similar_line(text, wanted)
    if not line:
        return None
    count = wanted.rstrip("\n").count("\n") + 1
    there = lines_of(text)[line - 1 : line - 1 + count]
    return Near(line, line + len(there) - 1, _differences(there, lines_of(wanted)))


def _folded_line(text: str, wanted: str) -> int:
    """The line where the texts are equal apart from what is hard to see, and from case."""
    folded, needle = _fold(text), _fold(wanted).strip("\n ")
    at = folded.find(needle) if needle else -1
    return folded.count("\n", 0, at) + 1 if at >= 0 else 0


def _fold(text: str) -> str:
    """Keeps every line feed, so that lines can be counted."""
    text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).translate(_LOOKALIKES)
    text = _BLANKS.sub(" ", text).casefold()
    return text.replace(" \n", "\n").replace("\n ", "\n")


def _similar_line(text: str, wanted: str) -> int:
    """The line that is most like the longest line of ``wanted``, taken back to its first."""
    from rapidfuzz import fuzz, process

    sought = lines_of(wanted)
    longest = max(range(len(sought)), key=lambda index: len(sought[index].strip()))
    lines = [line.strip() for line in text.split("\n")]
    best = process.extractOne(
        sought[longest].strip(), lines, scorer=fuzz.ratio, score_cutoff=MIN_SCORE
    )
    return max(1, best[2] + 1 - longest) if best else 0


def _differences(there: list[str], wanted: list[str]) -> tuple[str, ...]:
    told: list[str] = []
    for index, (has, asked) in enumerate(zip(there, wanted, strict=False)):
        whole = 0 < index < len(wanted) - 1
        told += _line_differences(has.rstrip("\r\n"), asked.rstrip("\r\n"), whole=whole)
    return tuple(dict.fromkeys(told))[:MAX_TOLD]


def _line_differences(has: str, asked: str, *, whole: bool) -> list[str]:
    """In words. The first and last line of a text may be parts of the file's lines."""
    if asked in has and not whole:
        return []
    if len(has) + len(asked) > 4_000:
        return ["a long line differs"]
    told = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(
        None, has, asked, autojunk=False
    ).get_opcodes():
        edge = not whole and tag == "delete" and (i1 == 0 or i2 == len(has))
        if tag != "equal" and not edge:
            told.append(f"the file has {_name(has[i1:i2])} where old has {_name(asked[j1:j2])}")
    return told


def _name(piece: str) -> str:
    """A piece of a line, with the name of a character that its looks may not tell."""
    if not piece:
        return "nothing"
    odd = next((char for char in piece if char.isspace() or not char.isascii()), "")
    name = unicodedata.name(odd, _CONTROLS.get(odd, "")) if odd else ""
    if piece.isspace():
        return f"{len(piece)} x {name} (U+{ord(odd):04X})"
    shown = piece if len(piece) <= 40 else piece[:39] + "…"
    quoted = f'"{shown}"' if shown.isprintable() else ascii(shown)
    return f"{quoted} ({name}, U+{ord(odd):04X})" if odd and not odd.isascii() else quoted


_CONTROLS = {"\t": "TAB", "\n": "LINE FEED", "\r": "CARRIAGE RETURN", "\f": "FORM FEED"}
