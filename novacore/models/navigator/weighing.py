"""How much a file, and a symbol in it, speaks to a question. Numbers without a unit, only compared.

A word weighs the more the fewer lines hold it. Names, paths and the head of a file count beside
the lines that match, and several of the question's words together count for more than one often.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from novacore.models.navigator.question import Question
from novacore.models.navigator.results import Findings, Found, Line
from novacore.models.navigator.terms import Term, matches, matches_related, pattern_of

HEAD_LINES = 3
"""Lines at the top of a file that usually say what it is for."""
LINES_IN_COMMON = 2_000
"""About as many matching lines as make a word say nothing."""
RELATED = 0.4
"""What a related word weighs of the question's own."""
VALUE = 0.5
"""What a constant or a variable weighs of a function or a class with the same words."""

_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|spec|fixtures|e2e)/|[._-](?:test|spec)\.|(?:^|/)test_"
)
_PROSE = re.compile(r"\.(?:md|rst|txt|adoc)\Z|(?:^|/)(?:docs?|examples?)/", re.IGNORECASE)
_CODE = re.compile(
    r"\.(?:py|pyi|pyx|[cm]?[jt]sx?|vue|svelte|go|rs|java|kt|scala|swift|cs|[ch]|[ch]pp|cc|hh|cxx|mm?|rb|php"
    r"|lua|pl|sh|bash|ps1|sql|r|jl|ex|exs|erl|hs|ml|clj|dart|zig|ipynb)\Z",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\s*(?:export |default |public |private |protected |static |abstract |async |pub |readonly )*"
    r"(?:def|class|function\*?|interface|type|enum|struct|trait|fn|func|const|let|var|impl)\s+\(?(\w+)"
)

Weights = Mapping[Term, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A file with its weight, and the terms that it holds."""

    path: str
    value: float
    terms: tuple[Term, ...]


def weights_of(question: Question, findings: Findings) -> dict[Term, float]:
    """The weight of each term that occurs, itself or by a related word."""
    weights = {}
    for term in question.terms:
        if total := findings.totals.get(pattern_of(term.forms), 0):
            weights[term] = math.log(1 + LINES_IN_COMMON / (total + 1))
        elif total := findings.totals.get(pattern_of(term.related), 0) if term.related else 0:
            weights[term] = RELATED * math.log(1 + LINES_IN_COMMON / (total + 1))
    return weights


def missed(question: Question, findings: Findings) -> tuple[Term, ...]:
    """Terms that were searched for and do not occur."""
    return tuple(t for t in question.terms if findings.totals.get(pattern_of(t.forms)) == 0)


def terms_in(text: str, question: Question, findings: Findings) -> tuple[Term, ...]:
    """The terms that ``text`` holds; related words count where a term itself occurs nowhere."""
    absent = missed(question, findings)
    return tuple(
        term
        for term in question.terms
        if matches(term, text) or (term in absent and matches_related(term, text))
    )


def files_by_weight(question: Question, findings: Findings) -> list[Score]:
    """All files that something was found in, best first."""
    weights = weights_of(question, findings)
    by_path: dict[str, list[Line]] = defaultdict(list)
    for line in findings.lines.values():
        by_path[line.path].append(line)
    named: dict[str, float] = defaultdict(float)
    for found in findings.found:
        named[found.path] += 8.0 if found.exact else 1.0
    paths = dict.fromkeys([*by_path, *named, *findings.files])
    scores = []
    for path in paths:
        terms = {line: terms_in(line.text, question, findings) for line in by_path[path]}
        own = terms_in(_spaced(path), question, findings)
        value = _by_lines(terms, weights) + _by_path(path, own, weights) + min(named[path], 16.0)
        value += 12.0 if is_asked(path, question) else 0.0
        held = tuple(t for t in question.terms if t in own or any(t in ts for ts in terms.values()))
        value *= _coverage(held, weights) * kind_factor(path, question)
        scores.append(Score(path=path, value=value, terms=held))
    return sorted(scores, key=lambda score: (-score.value, score.path))


def symbol_weight(
    symbol: Found, lines: Iterable[Line], question: Question, findings: Findings
) -> float:
    """How much the symbol speaks to the question; ``lines`` are the found ones inside it."""
    weights = weights_of(question, findings)
    terms = {line: terms_in(line.text, question, findings) for line in lines}
    value = _by_lines(terms, weights)
    in_name = terms_in(_spaced(symbol.name), question, findings)
    value += 1.2 * sum(weights.get(term, 0.0) for term in in_name)
    opening = {t for line, ts in terms.items() if line.number < symbol.first + 6 for t in ts}
    value += 0.4 * sum(weights.get(term, 0.0) for term in opening)
    held = {*in_name, *(term for ts in terms.values() for term in ts)}
    value *= _coverage(tuple(held), weights)
    if symbol.name in {name_of(name) for name in question.names}:
        value += 12.0
    elif symbol.is_value:
        value *= VALUE
    length = symbol.last - symbol.first + 1
    return value / (1 + max(0, length - 30) / 150)


def kind_factor(path: str, question: Question) -> float:
    """Sources before tests, prose and data, unless the question asks for those."""
    if is_asked(path, question):
        return 1.0
    if _TEST.search(path):
        return 1.2 if question.tests else 0.25
    factor = 0.5 if question.tests else 1.0
    if _PROSE.search(path):
        return 1.2 if question.docs else 0.3
    return factor * (1.0 if _CODE.search(path) else 0.3)


def is_asked(path: str, question: Question) -> bool:
    """Whether the question names this path, or its end."""
    asked = [path.lstrip("./") for path in question.paths]
    return any(path == one or path.endswith(f"/{one}") for one in asked)


def is_test(path: str) -> bool:
    """Whether the path is one of tests, as most projects name them."""
    return _TEST.search(path) is not None


def name_of(name: str) -> str:
    """The last part of a dotted, slashed or colon-separated name."""
    return re.split(r"[./:]+", name)[-1]


def defined_in(line: str) -> str:
    """The name that a line defines, if it does, in the languages that say so by a word."""
    found = _DEFINES.match(line)
    return found[1] if found else ""


def _by_lines(terms: Mapping[Line, tuple[Term, ...]], weights: Weights) -> float:
    value = together = 0.0
    counts: dict[Term, int] = defaultdict(int)
    for line, held in terms.items():
        known = [weights.get(term, 0.0) for term in held]
        both = sum(known) - max(known, default=0.0)
        together = max(together, both if line.number > HEAD_LINES else 1.5 * both)
        defined = terms_of_name(defined_in(line.text), held)
        value += 0.08 * sum(weights.get(term, 0.0) for term in defined)
        for term in held:
            counts[term] += 1 if line.number > HEAD_LINES else 3
    value += sum(weights.get(t, 0.0) * (1 - 0.5 * 0.7 ** (n - 1)) for t, n in counts.items())
    return value + 0.7 * together


def terms_of_name(name: str, held: Iterable[Term]) -> list[Term]:
    """Those of ``held`` that are a part of ``name``."""
    return [term for term in held if name and matches(term, _spaced(name))]


def _by_path(path: str, own: tuple[Term, ...], weights: Weights) -> float:
    stem = _spaced(path.rsplit("/", 1)[-1])
    return sum(weights.get(t, 0.0) * (0.9 if matches(t, stem) else 0.4) for t in own)


def _coverage(held: Iterable[Term], weights: Weights) -> float:
    whole = sum(weights.values())
    return 0.35 + 0.65 * sum(weights.get(t, 0.0) for t in held) / whole if whole else 1.0


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")
