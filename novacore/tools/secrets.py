"""Masking: a secret is replaced before its text enters a window, an artifact or a log."""

from __future__ import annotations

import hashlib
import hmac
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from novacore.tools.secret_assignments import assigned
from novacore.tools.secret_shapes import shaped
from novacore.tools.unseen import seen

_MARK = re.compile(r"\[secret:[a-z-]{1,40}#[0-9a-f]{8}\]")
_PASSES = 4
"""A mark may complete another rule's form, so masking repeats until nothing is found."""
_REMEMBERED = 256
_REMEMBERED_CHARS = 12
"""Shorter values are likely to be ordinary words elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A text without its secrets; ``counts`` says how many of each kind were masked."""

    text: str
    counts: Mapping[str, int]


class Masker:
    """Replaces secrets by ``[secret:kind#n]``, where n depends on the value and ``key`` alone.

    The same value has the same n everywhere in a session, and nobody without ``key`` can test a
    guess against it. A value that was once recognised is masked from then on wherever it occurs;
    ``known`` are values to treat so from the start, such as the provider's key.
    """

    def __init__(self, key: bytes, *, known: Sequence[str] = ()) -> None:
        self._key = key
        self._seen: dict[str, str] = {value: "known" for value in known if len(value) >= 8}

    def mask(self, text: str) -> Masked:
        """``text`` with every secret replaced, those with something unseen inside too.

        Masking twice changes nothing more.
        """
        counts: Counter[str] = Counter()
        for _ in range(_PASSES):
            spans = self._spans_behind(text)
            if not spans:
                break
            counts.update(kind for _, _, kind in spans)
            text = self._replaced(text, spans)
        return Masked(text=text, counts=dict(counts))

    def has_mask(self, text: str) -> bool:
        """Whether ``text`` holds a mark, so that writing it back would destroy a secret."""
        return _MARK.search(text) is not None

    def _spans_behind(self, text: str) -> list[tuple[int, int, str]]:
        """The spans of ``text`` as it stands, and as it would be seen on a terminal."""
        found, shown = self._spans(text), seen(text)
        if shown is None:
            return found
        found += [(*shown.span(start, end), kind) for start, end, kind in self._spans(shown.text)]
        return _merged(found, [mark.span() for mark in _MARK.finditer(text)])

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        found = [*shaped(text, lowered := _lowered(text)), *assigned(text, lowered)]
        for start, end, kind in found:
            self._remember(text[start:end], kind)
        found += self._again(text)
        return _merged(found, [mark.span() for mark in _MARK.finditer(text)])

    def _remember(self, value: str, kind: str) -> None:
        mixed = not value.isalpha() and not value.isdigit() and "\n" not in value
        if len(value) < _REMEMBERED_CHARS or not mixed or _MARK.search(value):
            return
        if value not in self._seen and len(self._seen) >= _REMEMBERED:
            self._seen.pop(next(iter(self._seen)))
        self._seen[value] = kind

    def _again(self, text: str) -> Iterator[tuple[int, int, str]]:
        # A copy: texts are masked on several threads.
        for value, kind in list(self._seen.items()):
            place = text.find(value)
            while place >= 0:
                yield place, place + len(value), kind
                place = text.find(value, place + len(value))

    def _replaced(self, text: str, spans: list[tuple[int, int, str]]) -> str:
        parts, last = [], 0
        for start, end, kind in spans:
            parts += [text[last:start], f"[secret:{kind}#{self._number(text[start:end])}]"]
            last = end
        return "".join([*parts, text[last:]])

    def _number(self, value: str) -> str:
        shown = seen(value)
        data = (shown.text if shown else value).encode("utf-8", "surrogatepass")
        return hmac.new(self._key, data, hashlib.sha256).hexdigest()[:8]


def _lowered(text: str) -> str:
    # The dotted capital I is the one character whose lower case is longer.
    return text.replace("İ", "I").lower()


def _merged(
    spans: list[tuple[int, int, str]], marks: list[tuple[int, int]]
) -> list[tuple[int, int, str]]:
    """Without overlaps and without pieces of marks; the earliest and longest gives the kind."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if _cuts_a_mark(start, end, marks):
            continue
        if merged and start < merged[-1][1]:
            low, high, first = merged[-1]
            merged[-1] = (low, max(high, end), first)
        else:
            merged.append((start, end, kind))
    return merged


def _cuts_a_mark(start: int, end: int, marks: list[tuple[int, int]]) -> bool:
    first = bisect_right(marks, start, key=lambda mark: mark[1])
    last = bisect_left(marks, end, key=lambda mark: mark[0]) - 1
    touched = marks[first : first + 1] + marks[last : last + 1] if first <= last else []
    return any(start >= low or end <= high for low, high in touched)
