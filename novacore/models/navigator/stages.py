"""The stages of a search, in order. Each is gone through once, with calls that were not made yet.

look: every name, path and word of the question. narrow: what was too frequent or did not occur.
survey: outlines of the best files, and all of the question's words in them. read: the best places.
follow: who calls the best of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from novacore.models.navigator.places import best_files, best_places, followed
from novacore.models.navigator.question import Question
from novacore.models.navigator.results import Findings
from novacore.models.navigator.terms import pattern_of, plain_of
from novacore.models.navigator.transcript import Transcript, key_of
from novacore.models.navigator.weighing import missed, name_of

MAX_CALLS = 12
"""Calls of one stage."""
HITS, PAIRS, FILE_HITS, USES = 60, 100, 100, 120
"""Lines that a search may give: for one word, two at once, all words in one file, one name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that a stage wants."""

    name: str
    input: Mapping[str, Any]


def next_stage(
    question: Question, transcript: Transcript, findings: Findings, offered: Collection[str]
) -> tuple[str, list[Call]] | None:
    """The next stage that has something to ask, and its calls; None when it is time to answer."""
    made = {call.key for call in transcript.made}
    names = list(STAGES)
    done = max((names.index(stage) for stage in transcript.stages if stage in STAGES), default=-1)
    for stage in names[done + 1 :]:
        wanted = {key_of(c.name, c.input): c for c in STAGES[stage](question, findings)}
        calls = [c for key, c in wanted.items() if key not in made and c.name in offered]
        if calls:
            return stage, calls[:MAX_CALLS]
    return None


def _look(question: Question, findings: Findings) -> Iterator[Call]:
    for name in question.names:
        yield Call(name="find", input={"name": name.replace("::", "/"), "limit": 20})
    for path in question.paths:
        yield Call(name="glob", input={"pattern": f"**/{path.lstrip('./')}", "limit": 10})
    if question.intent == "callers":
        word = re.escape(name_of(question.names[0]))
        yield _search(rf"\b{word}\b", USES)
        if not question.guessed:
            return
    for term in question.terms:
        yield _search(pattern_of(term.forms))


def _narrow(question: Question, findings: Findings) -> Iterator[Call]:
    if question.intent == "callers":
        name = name_of(question.names[0])
        if findings.totals.get(rf"\b{re.escape(name)}\b", 0) > 120:
            yield Call(name="search", input={"pattern": rf"\b{re.escape(name)}\s*\(", "limit": 120})
        return
    known = [t for t in question.terms if findings.totals.get(pattern_of(t.forms), 0)]
    for term in missed(question, findings):
        if term.related:
            yield _search(pattern_of(term.related))
    for term in known:
        if findings.totals[pattern_of(term.forms)] > HITS:
            yield Call(name="glob", input={"pattern": f"*{term.forms[0]}*", "limit": 40})
    if known:
        words = "|".join(pattern_of(term.forms) for term in known)
        yield _search(rf"\b(?:{_DEFINING})\s+\w*?(?:{words})")
    if len(known) > 1:
        words = plain_of(known)
        yield _search(rf"(?i)\b_?({words}).*\b_?(?!\1)(?:{words})", PAIRS)


def _survey(question: Question, findings: Findings) -> Iterator[Call]:
    files = best_files(question, findings)
    for score in files:
        yield Call(name="read", input={"path": score.path, "outline": True})
    if question.intent == "callers" or not question.terms:
        return
    pattern = "|".join(pattern_of(term.forms) for term in question.terms)
    absent = [t for t in missed(question, findings) if t.related]
    pattern = "|".join([pattern, *(pattern_of(term.related) for term in absent)])
    for score in files:
        yield Call(
            name="search", input={"pattern": pattern, "path": score.path, "limit": FILE_HITS}
        )


def _read(question: Question, findings: Findings) -> Iterator[Call]:
    for place in best_places(question, findings):
        outlined = findings.outlines.get(place.path, ())
        whole = any(
            s.name_path == place.symbol and (s.first, s.last) == (place.first, place.last)
            for s in (*outlined, *findings.found)
        )
        if whole:
            yield Call(name="read", input={"path": place.path, "symbol": place.symbol})
        else:
            lines = {"start_line": place.first, "end_line": place.last}
            yield Call(name="read", input={"path": place.path, **lines})


def _follow(question: Question, findings: Findings) -> Iterator[Call]:
    if question.intent == "callers":
        return
    for name in followed(question, findings):
        yield _search(rf"\b{re.escape(name)}\s*\(", 30)


def _search(pattern: str, limit: int = HITS) -> Call:
    return Call(name="search", input={"pattern": pattern, "limit": limit})


_DEFINING = "def|class|function|interface|type|enum|struct|trait|fn|func|const|let"

STAGES: Mapping[str, Callable[[Question, Findings], Iterator[Call]]] = {
    "look": _look,
    "narrow": _narrow,
    "survey": _survey,
    "read": _read,
    "follow": _follow,
}
