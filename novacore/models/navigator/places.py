"""Places: the symbols, or stretches of lines, that answer a question best."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from novacore.models.navigator.question import Question
from novacore.models.navigator.results import Findings, Found, Line
from novacore.models.navigator.terms import Term
from novacore.models.navigator.weighing import (
    HEAD_LINES,
    Score,
    defined_in,
    files_by_weight,
    is_asked,
    kind_factor,
    name_of,
    symbol_weight,
    terms_in,
)

MAX_FILES = 4
"""Files that are looked into."""
MAX_PLACES = 4
MAX_IN_FILE = 2
FILE = 0.8
"""What a file's own weight adds to each symbol in it."""
AGAIN = 0.6
"""What a second place of a file weighs of the same place in another one."""
FAR = 0.3
"""A place of less than this part of the best one's weight is not shown."""
WINDOW = 40
"""Lines of a stretch where there is no symbol, or only a very long one."""
LONG = 200
"""Lines from which a symbol is not read whole."""

_CALLS = re.compile(r"\bcall|\binvok|调用", re.IGNORECASE)
_DISTINCT = re.compile(r"\w_\w|[a-z][A-Z]|\w{9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Lines ``first`` to ``last`` of a file, 1-based and inclusive; ``symbol`` where it has one.

    ``focus`` are the lines in it that matter most.
    """

    path: str
    first: int
    last: int
    symbol: str = ""
    value: float = 0.0
    terms: tuple[Term, ...] = ()
    focus: tuple[int, ...] = ()
    callable: bool = True


def best_files(question: Question, findings: Findings) -> list[Score]:
    """The files that are worth an outline."""
    scores = files_by_weight(question, findings)
    if question.intent != "callers":
        return [score for score in scores if score.value > 0][:MAX_FILES]
    count = Counter(line.path for line in uses(question, findings))
    called = [score for score in scores if score.path in count]
    factor = {score.path: kind_factor(score.path, question) for score in called}
    called.sort(key=lambda score: -factor[score.path] * min(count[score.path], 5))
    return called[:MAX_FILES]


def best_places(question: Question, findings: Findings) -> list[Place]:
    """What to read, best first; at most two of a file, the second one behind other files."""
    chosen: list[Place] = []
    for place in all_places(question, findings):
        same = [other for other in chosen if other.path == place.path]
        if len(same) < MAX_IN_FILE and not any(_overlap(place, other) for other in same):
            again = same and question.intent != "callers"
            chosen.append(replace(place, value=AGAIN * place.value) if again else place)
    chosen.sort(key=lambda place: -place.value)
    return [place for place in chosen[:MAX_PLACES] if place.value >= FAR * chosen[0].value]


def all_places(question: Question, findings: Findings) -> list[Place]:
    """Every symbol or stretch of the outlined files that holds something, best first."""
    scores = {score.path: score for score in files_by_weight(question, findings)}
    places = []
    for path, symbols in findings.outlines.items():
        lines = _lines_of(path, question, findings)
        base = scores[path].value if path in scores else 0.0
        places += _in_file(path, symbols, lines, base, question, findings)
    places += _not_outlined(question, findings)
    known = {place.path for place in places}
    places += [
        Place(path=path, first=1, last=WINDOW, value=scores[path].value)
        for path in findings.outlines
        if path not in known and is_asked(path, question)
    ]
    return sorted(places, key=lambda place: (-place.value, place.path, place.first))


def uses(question: Question, findings: Findings) -> list[Line]:
    """Lines that use the name that is asked for: calls first; only those, if it asks for calls."""
    name = name_of(question.names[0]) if question.names else ""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    used = [
        line
        for line in findings.lines.values()
        if name and word.search(line.text) and not _only_names_it(line.text, name)
    ]
    calls = [line for line in used if re.search(rf"(?<!\w){re.escape(name)}\s*\(", line.text)]
    if _CALLS.search(question.text):
        return calls or used
    return [*calls, *(line for line in used if line not in calls)]


def followed(question: Question, findings: Findings) -> list[str]:
    """Names of the best places whose callers are worth a look: callable, and not everyday words."""
    places = [place for place in best_places(question, findings)[:3] if place.symbol]
    names = dict.fromkeys(name_of(place.symbol).split("[")[0] for place in places if place.callable)
    return [name for name in names if _DISTINCT.search(name) and not name.startswith("__")][:2]


def enclosing(symbols: Sequence[Found], number: int) -> Found | None:
    """The smallest symbol that holds the line."""
    around = [symbol for symbol in symbols if symbol.first <= number <= symbol.last]
    return min(around, key=lambda symbol: symbol.last - symbol.first, default=None)


def _only_names_it(text: str, name: str) -> bool:
    """An import, a definition, an entry of ``__all__``, or a comment."""
    bare = text.strip()
    return (
        defined_in(text) == name
        or bare.startswith(("import ", "from ", "export {", "#", "//", "*"))
        or bare.strip("\"',") == name
    )


def _lines_of(path: str, question: Question, findings: Findings) -> list[Line]:
    if question.intent == "callers":
        return [line for line in uses(question, findings) if line.path == path]
    return [line for line in findings.lines.values() if line.path == path]


def _in_file(
    path: str,
    symbols: Sequence[Found],
    lines: Sequence[Line],
    base: float,
    question: Question,
    findings: Findings,
) -> list[Place]:
    owner = {line: enclosing(symbols, line.number) for line in lines}
    factor = kind_factor(path, question)
    places = []
    for symbol in symbols:
        if question.intent == "callers":
            inside = [line for line in lines if owner[line] is symbol]
            value = 5.0 + len(inside) if inside else 0.0
        else:
            inside = [line for line in lines if _holds(symbol, line, owner[line])]
            value = symbol_weight(symbol, inside, question, findings)
        if value > 0:
            places.append(_place(symbol, inside, factor * value + FILE * base, question, findings))
    loose = [line for line in lines if owner[line] is None]
    if loose and (not symbols or question.intent == "callers"):
        places.append(_stretch(path, loose, base, question, findings))
    elif not places and (head := [line for line in loose if line.number <= HEAD_LINES]):
        places.append(_stretch(path, head, base, question, findings))
    return places


def _holds(symbol: Found, line: Line, owner: Found | None) -> bool:
    """A long symbol counts only what is in none of its parts; a short one counts all of it."""
    if symbol.last - symbol.first > 60:
        return owner is symbol
    return symbol.first <= line.number <= symbol.last


def _place(
    symbol: Found,
    inside: Sequence[Line],
    value: float,
    question: Question,
    findings: Findings,
) -> Place:
    first, last = symbol.first, symbol.last
    focus = tuple(sorted(line.number for line in inside))
    if last - first > LONG:
        middle = _densest(focus, first)
        first, last = max(first, middle - 5), min(last, middle + WINDOW - 6)
    text = " ".join([symbol.name_path.replace("_", " "), *(line.text for line in inside)])
    return Place(
        path=symbol.path,
        first=first,
        last=last,
        symbol=symbol.name_path,
        value=value,
        terms=terms_in(text, question, findings),
        focus=focus,
        callable=not symbol.is_value,
    )


def _stretch(
    path: str, lines: Sequence[Line], base: float, question: Question, findings: Findings
) -> Place:
    """Lines around the densest matches of a file without symbols."""
    focus = tuple(sorted(line.number for line in lines))
    middle = _densest(focus, 1)
    first, last = max(1, middle - 5), middle + WINDOW - 6
    inside = tuple(number for number in focus if first <= number <= last)
    text = " ".join(line.text for line in lines if line.number in inside)
    terms = terms_in(text, question, findings)
    return Place(path=path, first=first, last=last, value=0.6 * base, terms=terms, focus=inside)


def _densest(numbers: Iterable[int], default: int) -> int:
    """The line from which on most of the numbers lie within a window."""
    known = sorted(numbers)
    count = {start: sum(start <= other < start + WINDOW - 5 for other in known) for start in known}
    return max(known, key=lambda start: (count[start], -start), default=default)


def _not_outlined(question: Question, findings: Findings) -> list[Place]:
    """Symbols that were found by name, in files whose outline was not asked for."""
    if question.intent == "callers":
        return []
    return [
        Place(
            path=found.path,
            first=found.first,
            last=min(found.last, found.first + LONG),
            symbol=found.name_path,
            value=(10.0 if found.exact else 1.0) * kind_factor(found.path, question),
            terms=terms_in(found.name_path.replace("_", " "), question, findings),
        )
        for found in findings.found
        if found.path not in findings.outlines
    ]


def _overlap(one: Place, other: Place) -> bool:
    return one.first <= other.last and other.first <= one.last
