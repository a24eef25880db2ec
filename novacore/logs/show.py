"""How lines of an output are shown: numbered, gaps marked, an overlong line cut round its sign."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from novacore.logs.signs import sign_position
from novacore.types import LineRange

GAP = "…"
WIDTH = 220
"""Characters of one line that are shown where there are many."""
_SEARCHED = 1_000_000


def width_for(count: int, max_chars: int) -> int:
    """Characters that each line may take when ``count`` lines exist."""
    return max(WIDTH, max_chars // max(1, count) - 24) if count < 8 else WIDTH


def row(number: int, line: str, width: int) -> str:
    """One line as it is shown: its 1-based number, then its text, cut to ``width`` characters."""
    return f"{number}| {clip(line, width)}"


def clip(line: str, width: int) -> str:
    """At most ``width`` characters: the start, and the sign of a failure or else the end."""
    line = line.replace("\r", " ")
    if len(line) <= width:
        return line
    at = sign_position(line[:_SEARCHED])
    first = width // 3
    if at < width - 80:
        first = width * 2 // 3
        at = len(line) - (width - first - 1)
        return line[:first] + GAP + line[at:]
    rest = width - first - 2
    start = min(max(at - 30, first), len(line) - rest)
    end = GAP if start + rest < len(line) else ""
    return line[:first] + GAP + line[start : start + rest] + end


def cost(number: int, line: str, width: int) -> int:
    """Characters that the line takes at most, with line feed and the mark of a gap before it."""
    return min(len(line), width) + len(str(number)) + 5


def choose(lines: Sequence[str], ranges: Sequence[LineRange], max_chars: int) -> list[int]:
    """The numbers of ``ranges`` that fit: the first line of each range, then the second of each."""
    width = width_for(len(lines), max_chars)
    chosen: set[int] = set()
    waiting = [iter(range(each.start_line, each.end_line + 1)) for each in ranges]
    while waiting:
        for numbers in list(waiting):
            number = next(numbers, None)
            if number is None:
                waiting.remove(numbers)
                continue
            if number not in chosen:
                max_chars -= cost(number, lines[number - 1], width)
                if max_chars < 0:
                    return sorted(chosen)
                chosen.add(number)
    return sorted(chosen)


def render(lines: Sequence[str], numbers: Iterable[int], width: int) -> str:
    """The lines of these 1-based numbers (ascending), with a mark where lines are left out."""
    rows: list[str] = []
    last = 0
    for number in numbers:
        if number != last + 1:
            rows.append(GAP)
        rows.append(row(number, lines[number - 1], width))
        last = number
    if last < len(lines):
        rows.append(GAP)
    return "\n".join(rows)


def ranges_of(numbers: Iterable[int]) -> tuple[LineRange, ...]:
    """Ascending line numbers as ranges."""
    found: list[LineRange] = []
    for number in numbers:
        if found and found[-1].end_line == number - 1:
            found[-1] = LineRange(start_line=found[-1].start_line, end_line=number)
        else:
            found.append(LineRange(start_line=number, end_line=number))
    return tuple(found)
