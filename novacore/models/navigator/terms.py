"""Terms: words of a question with the forms that stand for them in code, as patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from novacore.models.navigator.vocabulary import Groups, vocabulary

_CJK_RUN = re.compile(r"[\u4e00-\u9fff]+")
_MIN_OPEN = 4
"""Letters from which a form may be the beginning of a longer word; a shorter one stands alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word as the question has it. ``forms`` are lower-case beginnings of words, own one first.

    ``related`` are beginnings of other words, for when the own ones do not occur.
    """

    word: str
    forms: tuple[str, ...]
    related: tuple[str, ...] = ()


def terms_of(words: Iterable[str]) -> list[Term]:
    """A term for each word that may find something."""
    return [_term(word) for word in words if _telling(word)]


def chinese_words(text: str) -> list[str]:
    """The words of Chinese text: in English where they are known, else as they stand."""
    known, found = vocabulary(), list[str]()
    for run in _CJK_RUN.findall(text):
        for piece in _chinese_pattern().split(run):
            if piece in known.chinese:
                found.append(known.chinese[piece])
            elif len(piece) > 1 and piece not in known.chinese_says_nothing:
                found.append(piece)
    return found


def pattern_of(forms: Iterable[str]) -> str:
    """A pattern for words, and parts of identifiers, that begin with one of ``forms``."""
    forms = tuple(forms)
    if _CJK_RUN.match(forms[0]):
        return "|".join(forms)
    long = "|".join(form for form in forms if len(form) >= _MIN_OPEN)
    short = "|".join(form for form in forms if len(form) < _MIN_OPEN)
    parts = [rf"(?:\b|_)(?i:{long})"] if long else []
    # "log" must not mean "logical" or "login"; "logs", "logged" and "logging" are forms of it.
    parts += [rf"(?:\b|_)(?i:{short})(?:s|.?ed|.?ers?|.?ing)?(?![a-z])"] if short else []
    parts += [f"[a-z]{form.capitalize()}{_end(form)}" for form in forms]
    return "|".join(parts)


def plain_of(terms: Iterable[Term]) -> str:
    """The beginnings of words that ``terms`` stand for, as alternatives of a pattern."""
    return "|".join(f"{form}{_end(form)}" for term in terms for form in term.forms)


def matches(term: Term, text: str) -> bool:
    """Whether ``text`` holds one of the term's own forms."""
    return _compiled(pattern_of(term.forms)).search(text) is not None


def matches_related(term: Term, text: str) -> bool:
    """Whether ``text`` holds a word that may stand for the term."""
    return bool(term.related) and _compiled(pattern_of(term.related)).search(text) is not None


def stem(word: str) -> str:
    """The part of an English word that its other forms share; the word itself where short."""
    stemmed = _stemmer()(word.lower())
    # The stemmer writes y as i: retry, retried -> retri.
    return stemmed[:-1] if stemmed.endswith("i") and len(stemmed) > _MIN_OPEN else stemmed


def _telling(word: str) -> bool:
    return len(word) > 1 and word.lower() not in vocabulary().says_nothing and not word.isdigit()


@lru_cache(maxsize=512)
def _term(word: str) -> Term:
    own = stem(word)
    forms = _group(vocabulary().forms, own)
    related = [form for known in (own, *forms) for form in _group(vocabulary().related, known)]
    taken = (own, *forms)
    return Term(
        word=word,
        forms=tuple(dict.fromkeys(taken)),
        related=tuple(dict.fromkeys(form for form in related if form not in taken)),
    )


def _group(groups: Groups, own: str) -> list[str]:
    """The stems that stand in one group with ``own``."""
    return [one for group in _stemmed(groups) if own in group for one in group]


@cache
def _stemmed(groups: Groups) -> Groups:
    return tuple(tuple(stem(word) for word in group) for group in groups)


def _end(form: str) -> str:
    return "" if len(form) >= _MIN_OPEN else "(?![a-z])"


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _chinese_pattern() -> re.Pattern[str]:
    words = [*vocabulary().chinese, *vocabulary().chinese_says_nothing]
    return re.compile(f"({'|'.join(sorted(words, key=len, reverse=True))})")


@cache
def _stemmer() -> Callable[[str], str]:
    import snowballstemmer

    stem_word: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem_word
