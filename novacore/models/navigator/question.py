"""What a question asks about: paths, identifiers and words, and which kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

Intent = Literal["where", "callers", "explain"]

_PATH = re.compile(
    r"[\w./-]*\w+\.(?:py|pyi|tsx?|jsx?|mjs|cjs|toml|json|md|ya?ml|cfg|ini|rs|go|java|c|h)\b"
)
_QUOTED = re.compile(r"[`'\"]([^`'\"\n]{2,80})[`'\"]")
_IDENTIFIER = re.compile(
    r"\b(?:[A-Za-z]\w*(?:(?:\.|::|/)[A-Za-z_]\w*)+|[A-Za-z]+_\w+|_\w+"
    r"|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[a-z]+[A-Z]\w*|[A-Z]{2,}\w*[a-z_]\w*)\b"
)
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\(\)?")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_CJK = re.compile(r"[\u4e00-\u9fff]")
_CALLERS = re.compile(
    r"\b(?:what|who|which|where)\b.*\b(?:calls?|uses?|used|invokes?|depends? on|break)\b"
    r"|\bcallers? of\b|谁调用|哪里调用|引用",
    re.IGNORECASE | re.DOTALL,
)
_WHERE = re.compile(r"\bwhere\b|\bwhich (?:file|module|function|class)\b|哪里|哪个", re.IGNORECASE)

STOP_WORDS = frozenset(
    "a about after all also an and any are as at be because been before being but by can code could"
    " did do does done each else ever every file files find for from function functions get gets"
    " give given go goes had happen happens has have having he here how i if implemented in into is"
    " it its itself just know let like line lines look made make makes many may me method might more"
    " most much must my need new no not now of off on once one only onto or other our out over own"
    " place please project repository repo same say see shall she should show so some such tell than"
    " that the their them then there these they thing things this those through to too two under"
    " until up us use used uses using very want was way we were what when where whether which while"
    " who why will with without work works would yet you your handle handled explain describe"
    " module modules class classes default defaults".split()
)
"""English words that find nothing, and words that any question about code holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question taken apart. ``stems`` are lower-case beginnings of words, most telling first."""

    text: str
    intent: Intent
    paths: tuple[str, ...]
    names: tuple[str, ...]
    stems: tuple[str, ...]
    chinese: bool


def take_apart(text: str) -> Question:
    """Find in ``text`` what can be searched for."""
    paths = _unique(_PATH.findall(text))
    names = _names(text, paths)
    parts = {part.lower() for name in names for part in _parts(name)}
    words = [w for w in _WORD.findall(_without(text, paths)) if w.lower() not in STOP_WORDS]
    stems = _unique(stem(w) for w in words if len(w) > 2 and w.lower() not in parts)
    return Question(
        text=text,
        intent=_intent(text, names),
        paths=paths,
        names=names,
        stems=(*_unique(stem(part) for part in sorted(parts) if len(part) > 2), *stems)[:12],
        chinese=bool(_CJK.search(text)),
    )


def stem(word: str) -> str:
    """The part of an English word that its other forms share."""
    return _stemmer()(word.lower())


def _names(text: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    bare = _without(text, paths)
    quoted = [q for q in _QUOTED.findall(bare) if re.fullmatch(r"[\w.:/()]+", q)]
    found = [*quoted, *_CALLED.findall(bare), *_IDENTIFIER.findall(bare)]
    return _unique(name.removesuffix("()").rstrip("(") for name in found)[:6]


def _parts(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", re.split(r"[./:]+", name)[-1])
    return re.findall(r"[A-Za-z0-9]+", spaced.replace("_", " "))


def _intent(text: str, names: tuple[str, ...]) -> Intent:
    if names and _CALLERS.search(text):
        return "callers"
    return "where" if _WHERE.search(text) else "explain"


def _without(text: str, paths: Iterable[str]) -> str:
    for path in paths:
        text = text.replace(path, " ")
    return text


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for item in items if item))


@cache
def _stemmer() -> Callable[[str], str]:
    import snowballstemmer

    stem_word: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem_word
