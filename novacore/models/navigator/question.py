"""What a question asks about: paths, identifiers and words, and which kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from novacore.models.navigator.terms import Term, chinese_words, terms_of

Intent = Literal["where", "callers", "explain"]

MAX_CHARS = 4_000
"""Of a question; what stands behind that (a pasted log, say) is not searched for."""
MAX_NAMES, MAX_TERMS = 4, 6

_PATH = re.compile(
    r"[\w./-]*\w+\.(?:py|pyi|tsx?|jsx?|mjs|cjs|toml|json|md|ya?ml|cfg|ini|rs|go|java|c|h|cc|cpp|rb)\b"
)
_QUOTED = re.compile(r"[`'\"]([^`'\"\n]{2,80})[`'\"]")
_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:[A-Za-z]\w*(?:(?:\.|::|/)[A-Za-z_]\w*)+|[A-Za-z]+_\w+|_\w+"
    r"|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[a-z]+[A-Z]\w*|[A-Z]{2,}\w*[a-z_]\w*)(?!\w)",
    re.ASCII,
)
_CALLED = re.compile(r"\b([A-Za-z_]\w{2,})\(", re.ASCII)
_CAPITAL = re.compile(r"(?<=[\w,;] )[A-Z][a-z]{2,}\b|(?<=[\u4e00-\u9fff ])[A-Z][a-z]{2,}(?!\w)")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_CJK = re.compile(r"[\u4e00-\u9fff]")
_CALLERS = re.compile(
    r"\b(?:what|who|which|where)\b[^.?!]{0,80}\b(?:calls?|called|uses?|used|invokes?|depends? on)\b"
    r"|\b(?:callers?|users?|usages?|references?) (?:of|to)\b"
    r"|谁调用|谁在用|调用者|[哪何]里?.{0,6}(?:调用|用到|引用)"
    r"|被.{0,6}调用",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"\b(?:calls?|invokes?|uses|(?:callers?|users?|usages?|references?) (?:of|to)) ([a-z]\w{2,})"
    r"\s*[?.]?\s*\Z"
    r"|\bwhere is ([a-z]\w{2,}) (?:used|called|invoked)\b|谁调用\s*([a-z]\w{2,})",
    re.IGNORECASE | re.ASCII,
)
_WHERE = re.compile(r"\bwhere\b|\bwhich (?:file|module|function|class|part)\b|哪", re.IGNORECASE)
_CHANGE = re.compile(
    r"\s*(?:(?:please|kindly|(?:can|could|would|will) you|i (?:want|need) you to|let'?s|now|then"
    r"|请你|请|帮我|帮忙)[\s,,]*)*"
    r"(?:(?:add|change|fix|implement|refactor|rename|remove|delete|write|create|update|replace|move"
    r"|edit|rewrite|extend|make|improve|port|migrate|correct)\b"
    r"|修改|添加|增加|实现一|修复|重构|重命名|删除|改成|改为|编写|写一个|新增)",
    re.IGNORECASE,
)
_BACK_REFERENCE = re.compile(
    r"\b(?:it|its|that|this|those|them|they)\b|它|这个|那个", re.IGNORECASE
)
_STUB = re.compile(r"<persisted-output.*?</persisted-output>", re.DOTALL)
_TESTS = re.compile(r"\btest(?:s|ed|ing)?\b|测试", re.IGNORECASE)
_DOCS = re.compile(r"\b(?:docs?|documentation|documented|readme|changelog)\b|文档", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question taken apart. ``terms`` stand in the order of the question."""

    text: str
    intent: Intent
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    chinese: bool = False
    change: bool = False
    """It asks to change something rather than to be told."""
    guessed: bool = False
    """The only name is an everyday word that may be no name at all; it is a term as well."""
    vague: bool = False
    """It names nothing to search for; ``paths`` is what a project says of itself."""
    tests: bool = False
    docs: bool = False


def take_apart(text: str, before: str = "") -> Question:
    """Find in ``text`` what can be searched for.

    A question that points back ("where is it tested?") and names nothing itself takes the names
    and words of the question ``before`` along.
    """
    text = _STUB.sub(" ", text)[:MAX_CHARS]
    paths = _unique(_PATH.findall(text))
    names = _names(text, paths)
    terms = _terms(text, paths, names)
    if guess := _guess(text, names):
        names = (guess,)
    if before and not names and not paths and _BACK_REFERENCE.search(text):
        earlier = take_apart(before)
        names, paths = earlier.names, earlier.paths
        terms = _distinct([*terms, *earlier.terms])
    vague = not (names or paths or terms)
    return Question(
        text=text,
        intent=_intent(text, names),
        paths=("README.md",) if vague else paths[:MAX_NAMES],
        names=names[:MAX_NAMES],
        terms=terms[:MAX_TERMS],
        chinese=bool(_CJK.search(text)),
        change=bool(_CHANGE.match(text)),
        guessed=bool(guess),
        vague=vague,
        tests=bool(_TESTS.search(text)) or any("test" in path for path in paths),
        docs=bool(_DOCS.search(text)),
    )


def settled(question: Question, known: Collection[str]) -> Question:
    """The question, given the names of symbols that exist: a guess that is none is dropped."""
    if not question.guessed or question.names[0] in known:
        return question
    return replace(question, intent=_intent(question.text, ()), names=(), guessed=False)


def _names(text: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    bare = _without(text, paths)
    quoted = [q for q in _QUOTED.findall(bare) if re.fullmatch(r"[A-Za-z_][\w.:/]*(?:\(\))?", q)]
    found = [*quoted, *_CALLED.findall(bare), *_IDENTIFIER.findall(bare), *_CAPITAL.findall(bare)]
    return _unique(name.removesuffix("()") for name in found)


def _guess(text: str, names: tuple[str, ...]) -> str:
    found = None if names else _OBJECT.search(text)
    return next(filter(None, found.groups()), "") if found else ""


def _terms(text: str, paths: tuple[str, ...], names: tuple[str, ...]) -> tuple[Term, ...]:
    """Words of the question first, then the parts of its names."""
    rest = _without(text, (*paths, *names))
    words = [*_WORD.findall(rest), *chinese_words(rest)]
    # A question about tests is answered by where files lie, not by the word.
    words = [word for word in words if not _TESTS.fullmatch(word)]
    words += [part for name in names for part in _parts(name)]
    # A file that does not lie here may still be spoken of in the code.
    files = [Term(word=name, forms=(name.lower(),)) for name in map(_file_name, paths)]
    return _distinct([*files, *terms_of(words)])


def _file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _parts(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", re.split(r"[./:]+", name)[-1])
    return re.findall(r"[A-Za-z0-9]{3,}", spaced.replace("_", " "))


def _intent(text: str, names: tuple[str, ...]) -> Intent:
    if names and _CALLERS.search(text):
        return "callers"
    return "where" if _WHERE.search(text) else "explain"


def _without(text: str, pieces: Iterable[str]) -> str:
    for piece in pieces:
        text = text.replace(piece, " ")
    return text


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for item in items if item))


def _distinct(terms: Iterable[Term]) -> tuple[Term, ...]:
    return tuple({term.forms[0]: term for term in reversed([*terms])}.values())[::-1]
