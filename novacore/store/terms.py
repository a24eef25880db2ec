"""Words of a text as the index keeps them, the same for what is stored and what is asked."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_FUNCTION_WORDS = (
    "a an and are as at be but by can did do does for from had has have how i if in is it its me "
    "my no not of on or our so that the their then there these they this to us was we were what "
    "when where which who why will with would you your"
)
_STOP = frozenset(_FUNCTION_WORDS.split())
_local = threading.local()
MAX_TERMS = 48
"""Terms of a question that are looked up; the first ones count."""


def indexed(text: str) -> str:
    """``text`` for the index: stems, camelCase split too, Chinese and its kin as pairs."""
    return " ".join(term for word in _WORD.findall(text) for term in _terms(word))


def query(text: str) -> str:
    """An FTS5 expression that finds any of the words of ``text``; empty when it has none."""
    words = [word for word in _WORD.findall(text) if word.lower() not in _STOP]
    terms = dict.fromkeys(term for word in words for term in _asked(word))
    # Quoted: a term is never an operator, whatever a person types.
    return " OR ".join(
        f'"{term}"{"*" if _single(term) else ""}' for term in list(terms)[:MAX_TERMS]
    )


@lru_cache(maxsize=50_000)
def _terms(word: str) -> tuple[str, ...]:
    terms: list[str] = []
    at = 0
    for run in _CJK.finditer(word):
        terms += _latin(word[at : run.start()])
        terms += _pairs(run[0])
        at = run.end()
    return (*terms, *_latin(word[at:]))


def _asked(word: str) -> Sequence[str]:
    # The last single character serves one-character questions; in a longer one it finds too much.
    terms = _terms(word)
    return [term for term in terms if not _single(term)] or terms


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run))]


def _latin(word: str) -> list[str]:
    parts = _CAMEL.split(word)
    words = ([word] if word else []) + (parts if len(parts) > 1 else [])
    return [_stemmer().stemWord(part.lower()) for part in words]


def _stemmer() -> Any:
    # Porter's first rules, which FTS5 brings, keep "deployed" and "deployment" apart.
    if not hasattr(_local, "stemmer"):
        import snowballstemmer

        # It keeps the word it works on in itself: one for each thread.
        _local.stemmer = snowballstemmer.stemmer("english")
    return _local.stemmer


def _single(term: str) -> bool:
    return len(term) == 1 and _CJK.match(term) is not None
