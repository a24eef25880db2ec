"""What an output tells of a failure: its signs, failing cases and causes."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from novacore.logs.failing import bare_long, failing_in
from novacore.logs.lines import READ_LINES, split
from novacore.logs.pytests import pytest_sessions
from novacore.logs.signs import CAUSE, VERDICT, Sign, contentless, signs

_EPISODE = 30
"""Lines between two signs of one failure; stack frames stand between them."""
_SHAPE = re.compile(r"\d+|\W+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The lines of an output and what stands out in them.

    ``failed``: the lines (1-based) of each test session that failed. Signs inside a session that
    passed are left out: tests print what failures look like.
    """

    lines: Sequence[str]
    signs: tuple[Sign, ...]
    failing: tuple[str, ...]
    failed: tuple[range, ...] = ()


@functools.lru_cache(maxsize=2)
def analyse(text: str) -> Analysis:
    """Read an output once, for any number of excerpts: plugins and the host ask one after another.

    Only the newest are remembered: an output may be some megabytes.
    """
    lines = split(text)
    skipped = max(0, len(lines) - READ_LINES)
    read = lines[skipped:]
    bared = [bare_long(line) for line in read]
    sessions = pytest_sessions(bared)
    quiet = [range(s.start + 1, s.end + 2) for s in sessions if not s.failed]
    found = (s for s in signs(read) if not any(s.line in part for part in quiet))
    return Analysis(
        lines=lines,
        signs=tuple(_moved(sign, skipped) for sign in found),
        failing=failing_in(bared),
        failed=tuple(
            range(s.start + 1 + skipped, s.end + 2 + skipped) for s in sessions if s.failed
        ),
    )


def first_error(text: str) -> str:
    """The line that says first what went wrong, bared of colours and time stamps; "" if none."""
    analysis = analyse(text)
    cases = [sign for sign in analysis.signs if sign.case]
    verdicts = [sign for sign in analysis.signs if sign.score == VERDICT]
    found = [*causes(analysis)[:1], *cases[:1], *verdicts[:1]]
    return found[0].text.strip() if found else ""


def causes(analysis: Analysis) -> list[Sign]:
    """The distinct causes, best first: of the failure that ended the run, then as they came."""
    first: dict[str, Sign] = {}
    for sign in analysis.signs:
        if sign.score == CAUSE and not sign.case and not contentless(sign.text):
            first.setdefault(_shape(sign.text), sign)
    inside = [s for s in first.values() if any(s.line in part for part in analysis.failed)]
    if inside:
        return list(dict.fromkeys([*inside, *first.values()]))
    # The end of a run repeats its cause: where that stood first is where to look.
    shapes = (_shape(sign.text) for sign in _final_episode(analysis.signs))
    final = [first[shape] for shape in shapes if shape in first]
    root = sorted(final, key=lambda sign: sign.line)[:1]
    earliest = list(first.values())[:1]
    return list(dict.fromkeys([*root, *earliest, *final, *first.values()]))


def _moved(sign: Sign, by: int) -> Sign:
    if not by:
        return sign
    return Sign(line=sign.line + by, score=sign.score, text=sign.text, case=sign.case)


def _final_episode(found: Sequence[Sign]) -> list[Sign]:
    strong = [s for s in found if s.score >= VERDICT]
    episode = strong[-1:]
    for sign in reversed(strong[:-1]):
        if episode[-1].line - sign.line > _EPISODE:
            break
        episode.append(sign)
    return episode[::-1]


def _shape(text: str) -> str:
    return _SHAPE.sub(" ", text).strip().lower().removeprefix("error ")[:160]
