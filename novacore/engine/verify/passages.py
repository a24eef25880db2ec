"""Passages: together they stand for everything before a cut, and each says something."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from novacore.engine.event_words import SHOWN
from novacore.engine.state.typed import language_of
from novacore.errors import ContractError
from novacore.types import CompactRequest, Event, EventRange, Passage

_FAILED = re.compile(
    r"\s*(?:error\b|traceback\b|exception\b|http \d{3}|i(?:'m| am) (?:sorry|unable)|sorry,"
    r"|i can(?:not|'t)|as an ai|rate limit|overloaded|internal server|抱歉|对不起"
    r"|无法完成|作为一个)",
    re.I,
)
_LONG_ENOUGH = 200
"""Characters from which on a text has a language."""


def verify_passages(passages: Sequence[Passage], request: CompactRequest, cut: int) -> None:
    """No gap, no overlap, nothing empty, failed or in another language. Raises ContractError.

    ``cut`` is the index in ``request.view`` of the first event of the tail. The tiling begins with
    the view, or with an earlier passage that it replaces together with all later ones.
    """
    if not passages:
        raise ContractError(
            "there is no passage: the span before the cut has nothing to stand for it"
        )
    for passage in passages:
        _verify_text(passage, request)
    spans = [_span(passage, request) for passage in passages]
    ordered = sorted(spans, key=lambda span: span[0].seq)
    _verify_start(ordered[0][0], request)
    for (_, end), (start, _) in itertools.pairwise(ordered):
        _verify_gap(end, start, request)
    _verify_gap(ordered[-1][1], request.view[cut].event, request)


def event_of(id: str, request: CompactRequest) -> Event:
    """The event of that id, of the view or of the log. Raises ContractError when there is none."""
    for item in request.view:
        if item.event.id == id:
            return item.event
    found: Sequence[Event] = ()
    if request.events is not None:
        try:
            found = request.events(EventRange(first=id, last=id))
        except KeyError:
            found = ()
    if not found:
        raise ContractError(f"there is no event {id[:64]!r}")
    return found[0]


def _verify_text(passage: Passage, request: CompactRequest) -> None:
    text = passage.text.strip()
    if not text:
        raise ContractError(f"the passage of {passage.covers.first} is empty")
    if _FAILED.match(text) and len(text) < 2_000:
        raise ContractError(f"the passage reads like a failure: {text[:80]!r}")
    wanted, has = request.language, language_of(text)
    if wanted and has and has != wanted and len(text) > _LONG_ENOUGH:
        raise ContractError(f"the passage is written in {has}, the user's language is {wanted}")


def _span(passage: Passage, request: CompactRequest) -> tuple[Event, Event]:
    first, last = _events(passage.covers, request)
    if passage.level > 0 and not passage.made_from:
        raise ContractError(f"a passage of level {passage.level} must name what it was made from")
    for part in passage.made_from:
        start, end = _events(part, request)
        if start.seq < first.seq or end.seq > last.seq:
            raise ContractError(f"{part.first}..{part.last} lies outside the passage made from it")
    return first, last


def _events(covers: EventRange, request: CompactRequest) -> tuple[Event, Event]:
    first, last = event_of(covers.first, request), event_of(covers.last, request)
    if first.seq > last.seq:
        raise ContractError(f"the range {covers.first}..{covers.last} runs backwards")
    return first, last


def _verify_start(first: Event, request: CompactRequest) -> None:
    beginning = request.view[0].event
    earlier = request.boundaries[-1].passages if request.boundaries else ()
    if first.id in {passage.covers.first for passage in earlier}:
        return
    missed = [e for e in _seen(request) if e.seq < first.seq]
    if first.seq < beginning.seq or missed:
        raise ContractError(f"the passages must begin with event {beginning.id}")


def _verify_gap(end: Event, start: Event, request: CompactRequest) -> None:
    if start.seq <= end.seq:
        raise ContractError(f"passages overlap at event {start.id}")
    missed = [e.id for e in _seen(request) if end.seq < e.seq < start.seq]
    if end.seq < request.view[0].event.seq and request.events is not None:
        between = request.events(EventRange(first=end.id, last=start.id))
        missed += [e.id for e in between if e.kind in SHOWN and end.seq < e.seq < start.seq]
    if missed:
        raise ContractError(f"no passage covers event {missed[0]}")


def _seen(request: CompactRequest) -> Iterator[Event]:
    return (item.event for item in request.view)
