"""Which lines of an output to show: a short head, what speaks of a failure, and the tail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from novacore.logs.analysis import Analysis, analyse, causes
from novacore.logs.show import choose, cost, ranges_of, render, width_for
from novacore.logs.signs import VERDICT, WEAK, Sign
from novacore.types import LineRange

_LOCATION = re.compile(
    r"\s*(?:File \"[^\"]+\", line \d+|at \S+ ?\(?\S*:\d+|[\w./\\@-]+\.\w+:\d+|--> \S+:\d+"
    r"|\S+\.\w+\(\d+,\d+\))"
)
_WHOLE_NAMES = 8
_NAMES_SHARE, _TAIL_SHARE, _HEAD_SHARE = 70, 24, 12
"""Percent of the room that failing names, the tail and the head may take at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Lines to show (1-based, inclusive), and what to say above them.

    ``note`` names the failing cases, as many as fit; note and lines as rendered by ``show.render``
    take at most the characters asked for.
    """

    ranges: tuple[LineRange, ...]
    failing: tuple[str, ...] = ()
    note: str = ""


def excerpt(text: str, max_chars: int = 2000) -> Excerpt:
    """Choose the lines of ``text`` that tell best what happened, within ``max_chars``."""
    return excerpt_of(analyse(text), max_chars)


def excerpt_of(analysis: Analysis, max_chars: int = 2000) -> Excerpt:
    """The same for a text that is analysed already."""
    note = pack(analysis.failing, max_chars * _NAMES_SHARE // 100)
    room = max_chars - len(note) - 1 if note else max_chars
    numbers = _fill(analysis.lines, _wanted(analysis, note), room)
    return Excerpt(ranges=ranges_of(numbers), failing=analysis.failing, note=note)


def shown(analysis: Analysis, chosen: Excerpt, max_chars: int = 2000) -> str:
    """An excerpt as a model sees it: its note, then the numbered lines."""
    lines = analysis.lines
    room = max_chars - len(chosen.note) - bool(chosen.note)
    numbers = choose(lines, chosen.ranges, room)
    body = render(lines, numbers, width_for(len(lines), room)) if numbers else ""
    return "\n".join(part for part in (chosen.note, body) if part)


def _wanted(analysis: Analysis, note: str) -> Iterator[tuple[int, int]]:
    """Line numbers in the order in which they are worth their room, each with its share or 0."""
    lines, total = analysis.lines, len(analysis.lines)
    found = causes(analysis)
    verdicts = [s.line for s in analysis.signs if s.score == VERDICT]
    weak = [s.line for s in analysis.signs if s.score == WEAK]
    cases = [s for s in analysis.signs if s.case]
    told = [s for s in cases if _told(s.text, analysis.failing, note)]
    untold = [s for s in cases if s not in told]
    yield from _free([*_with_place(lines, found[:1]), *verdicts[-1:]])
    yield from ((number, _TAIL_SHARE) for number in range(total, max(0, total - 6), -1))
    yield from ((number, _HEAD_SHARE) for number in range(1, min(total, 3) + 1))
    yield from _free([*_with_place(lines, untold[:1])])
    yield from _free([*_with_place(lines, found[1:12]), *(s.line for s in untold[:10])])
    yield from _free([*verdicts[:-1][-4:], *_with_place(lines, told[:6])])
    yield from _free([*(s.line for s in found[12:60]), *weak[:5]])
    if not found:
        ends = zip(range(1, 60), range(total, 0, -1), strict=False)
        yield from _free([number for pair in ends for number in pair])


def _free(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((number, 0) for number in numbers)


def _told(text: str, failing: Sequence[str], note: str) -> bool:
    return any(name in text and name in note for name in failing[:50])


def _with_place(lines: Sequence[str], found: Sequence[Sign]) -> Iterator[int]:
    """Each cause, then the line that says where, then what continues it."""
    for sign in found:
        yield sign.line
        # A runner prints a case's name first, and where it failed below the message.
        reach = 10 if sign.case else 4
        after = range(sign.line + 1, min(sign.line + reach, len(lines) + 1))
        before = range(sign.line - 1, max(sign.line - 4, 0), -1)
        places = [n for n in (*after, *before) if _LOCATION.match(lines[n - 1][:400])]
        yield from places[:1]
        yield from (n for n in after[:2] if lines[n - 1][:1].isspace() and n not in places[:1])


def _fill(lines: Sequence[str], wanted: Iterable[tuple[int, int]], room: int) -> list[int]:
    width = width_for(len(lines), room)
    left = room - 2
    used: dict[int, int] = {}
    chosen: set[int] = set()
    for number, share in wanted:
        price = cost(number, lines[number - 1], width)
        over = share and used.get(share, 0) + price > room * share // 100
        if number in chosen or price > left or (over and len(lines) >= 8):
            continue
        chosen.add(number)
        used[share] = used.get(share, 0) + price
        left -= price
    return sorted(chosen)


def pack(names: Sequence[str], max_chars: int) -> str:
    """`failing (N): a; b; and M more` within ``max_chars``.

    Where fewer than eight whole names fit, a path that all share is given only once.
    """
    if not names:
        return ""
    head = f"failing ({len(names)}): "
    fit = _fitting(names, max_chars - len(head))
    prefix = _shared_prefix(names)
    if fit < min(len(names), _WHOLE_NAMES) and prefix:
        head = f"{head}in {prefix} "
        names = [name.removeprefix(prefix) for name in names]
        fit = _fitting(names, max_chars - len(head))
    more = [f"and {len(names) - fit} more"] if fit < len(names) else []
    return head + "; ".join([*names[:fit], *more])


def _fitting(names: Sequence[str], room: int) -> int:
    left = room - len("and 1000000 more")
    for count, name in enumerate(names):
        left -= len(name) + 2
        if left < 0:
            return count
    return len(names)


def _shared_prefix(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    same = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first)
    )
    return first[: first.rfind("::", 0, same) + 2] if "::" in first[:same] else ""
