"""Recalls what past sessions and memory files say about the same things, by words alone.

A search always finds something. What is recalled must share enough of the telling words of the
message, so that an unrelated one recalls nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from novacore import Hooks, override
from novacore.services import Remembered, Services
from novacore.types import Recalled, RecallRequest

ASKED_CHARS = 4_000
"""Characters of a message that count; the rest of a longer one is pasted text."""
TELLING_WEIGHT = 20.0
"""A long message need not be matched in more than this much of its weight."""
_WORD = re.compile(r"[^\W_](?:[\w]|[./:](?=[^\W_]))*", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
"""``retryBackoff``, ``retry_backoff`` and ``retry.backoff`` have two parts: names in code."""
_STOP_WORDS = """
a about after again all also an and any are as at be been before but by can could did do does for
from get had has have how i if in into is it its just let like me more my no not now of on only or
other our out over please same should so some such than that the their them then there these they
this those to too up us very was we were what when where which while who why will with would yes
you your
"""
_GENERIC_WORDS = """
add answer bug call case change check class code command create edit error explain fail file find
fix function give go help implement issue line list look make method module name need new output
problem project question read remove rename result run see session set show step task test thing
tool try update use value want way work write
"""
"""Words of nearly every message to a coding agent: they weigh little, in any inflection."""


class RecallSettings(BaseModel, extra="forbid"):
    """Settings of ``recall_lexical``."""

    candidates: Annotated[int, Field(ge=1, le=200)] = 30
    """Passages that the search may give."""
    share: Annotated[float, Field(ge=0, le=1)] = 0.35
    """Part of the message's weight that a passage of a past session must share."""
    weight: Annotated[float, Field(ge=0)] = 2.0
    """Weight that it must share at least: a telling word has 1, a name in code 2."""
    memory_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    """The same for a memory file, which a person wrote to be found."""
    memory_weight: Annotated[float, Field(ge=0)] = 1.0


class RecallLexical(Hooks):
    """Full-text search, then a threshold on what is shared."""

    Config = RecallSettings

    def __init__(self, config: RecallSettings, services: Services) -> None:
        self._config = config
        self._past = services.past
        self._count = services.count

    @override
    def recall(self, request: RecallRequest) -> Sequence[Recalled]:
        """At most ``request.limit`` passages, the best first; often none."""
        asked = _asked(request)
        wanted = weights(asked)
        if not wanted:
            return ()
        found = self._past.search(
            asked, limit=self._config.candidates, exclude_session=request.session.id
        )
        inherited = f"event:{request.session.parent}/" if request.session.parent else None
        # A fork's window holds its parent's events already; what a tool found once is old evidence,
        # which a live read beats.
        fresh = (
            f
            for f in found
            if f.kind != "tool" and (inherited is None or not f.uri.startswith(inherited))
        )
        kept = [item for f in fresh if (item := self._judged(f, wanted)) is not None]
        kept.sort(key=lambda item: (-item.score, item.key))
        fitting = [item for item in kept if self._count(item.text) <= request.max_tokens]
        return tuple(fitting[: request.limit])

    def _judged(self, found: Remembered, wanted: Mapping[str, float]) -> Recalled | None:
        shared = _shared(found.text, wanted)
        share = shared / min(sum(wanted.values()), TELLING_WEIGHT)
        memory = found.kind == "memory"
        config = self._config
        least = config.memory_weight if memory else config.weight
        if shared < least or share < (config.memory_share if memory else config.share):
            return None
        return Recalled(
            key=found.key,
            text=found.text,
            uri=found.uri,
            version=found.version,
            time=found.time,
            score=round(min(share, 1.0) + (0.5 if memory else 0.0), 4),
        )


def weights(text: str) -> dict[str, float]:
    """The telling terms of a text: stems of words, names as they stand, pairs of characters."""
    return dict(term for word in _WORD.findall(text) for term in _terms(word))


def _asked(request: RecallRequest) -> str:
    text = (request.text or request.goal)[:ASKED_CHARS]
    return " ".join((text, *request.entities[:20], *request.paths[:20]))


def _shared(text: str, wanted: Mapping[str, float]) -> float:
    """The weight of the wanted terms that occur in ``text``."""
    heads = {term[:2] for term in wanted}
    # Stemming is the dear part, and only a word that begins like a wanted one can be it.
    words = {w for w in _WORD.findall(text) if _CJK.search(w) or _heads(w) & heads}
    terms = {term for word in words for term, _ in _terms(word)}
    return sum(weight for term, weight in wanted.items() if term in terms)


def _heads(word: str) -> set[str]:
    return {part[:2].lower() for part in (word, *_parts(word))}


def _terms(word: str) -> Iterator[tuple[str, float]]:
    for run in _CJK.findall(word):
        yield from ((run[i : i + 2], 0.5) for i in range(len(run) - 1))
    latin = _CJK.sub(" ", word).strip()
    if len(latin) < 2 or latin.lower() in _stop():
        return
    parts = _parts(latin)
    if len(latin) >= 4 and len(parts) > 1:
        yield latin.lower(), 2.0
        yield from ((_stem(part.lower()), 0.5) for part in parts if len(part) > 2)
        return
    stem = _stem(latin.lower())
    yield stem, 0.2 if stem in _generic() else 0.4 if len(latin) < 4 else 1.0


def _parts(word: str) -> list[str]:
    return _PART.findall(word)


@functools.cache
def _stop() -> frozenset[str]:
    return frozenset(_STOP_WORDS.split())


@functools.cache
def _generic() -> frozenset[str]:
    return frozenset(map(_stem, _GENERIC_WORDS.split()))


@functools.lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


@functools.cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
