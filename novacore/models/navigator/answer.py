"""The answer: the best places with reasons and quotes, what else was seen, and what was missed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from novacore.models.navigator import phrases
from novacore.models.navigator.places import (
    Place,
    all_places,
    best_places,
    enclosing,
    followed,
    uses,
)
from novacore.models.navigator.question import Question
from novacore.models.navigator.quotes import language_of, quote_of, says
from novacore.models.navigator.results import Findings, Found, Line, Piece
from novacore.models.navigator.terms import Term, matches
from novacore.models.navigator.weighing import (
    defined_in,
    files_by_weight,
    is_asked,
    is_test,
    missed,
    name_of,
)

MAX_ALSO, MAX_LISTED = 5, 20


def answer(question: Question, findings: Findings) -> str:
    """Markdown in the language of the question."""
    words = phrases.CHINESE if question.chinese else phrases.ENGLISH
    shown = _shown(question, findings)
    parts = [words["intro"]]
    if question.change:
        parts[0] += f" {words['change']}"
    if question.vague:
        parts.append(words["vague"])
    parts += _definitions(question, findings, words)
    parts += [
        _section(number, place, piece, question, findings, words)
        for number, (place, piece) in enumerate(shown, 1)
    ]
    if not shown:
        parts += [_nothing(question, words), words["try"]]
    parts += _endings(question, findings, [place for place, _ in shown], words)
    return "\n\n".join(parts) + "\n"


def without_tools(text: str) -> str:
    """The answer where nothing can be looked at."""
    chinese = re.search(r"[\u4e00-\u9fff]", text)
    words = phrases.CHINESE if chinese else phrases.ENGLISH
    return f"{words['intro']}\n\n{words['no_tools']}\n"


def _shown(question: Question, findings: Findings) -> list[tuple[Place, Piece]]:
    """The best places, as far as they could be read."""
    found = []
    for place in best_places(question, findings):
        for piece in findings.pieces:
            if piece.path == place.path and piece.first <= place.first <= piece.last:
                found.append((place, piece))
                break
    return found


def _section(
    number: int,
    place: Place,
    piece: Piece,
    question: Question,
    findings: Findings,
    words: phrases.Words,
) -> str:
    last = min(place.last, piece.last)
    title = f"**{number}. `{place.path}:{place.first}-{last}`"
    title += f" `{place.symbol}`**" if place.symbol else "**"
    quote = quote_of(place, piece)
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`{3,}", quote.text)), default=0))
    whole = (quote.first, quote.last) == (place.first, last)
    where = "" if whole else f" ({_lines((quote.first, quote.last), words)})"
    reason = "; ".join(_reasons(place, piece, question, findings, words))
    head = f"{title}: {reason}{where}" if reason else f"{title}{where}"
    return f"{head}\n{fence}{language_of(place.path)}\n{quote.text}\n{fence}"


def _reasons(
    place: Place, piece: Piece, question: Question, findings: Findings, words: phrases.Words
) -> Iterator[str]:
    name = name_of(place.symbol)
    asked = [name_of(one) for one in question.names]
    if question.intent == "callers" and place.focus:
        yield words["uses"].format(name=asked[0], lines=_lines(place.focus, words))
    elif name in asked:
        yield words["asked"]
    spoken = [_word(term, place, findings, question, words) for term in place.terms]
    if spoken and question.intent != "callers":
        yield words["words"].format(words=", ".join(spoken))
    in_path = [t for t in question.terms if t not in place.terms and matches(t, place.path)]
    if in_path and question.intent != "callers":
        yield words["path"].format(words=", ".join(f"*{term.word}*" for term in in_path))
    if said := says(piece):
        yield words["says"].format(text=said)


def _word(
    term: Term, place: Place, findings: Findings, question: Question, words: phrases.Words
) -> str:
    if term in missed(question, findings):
        return words["related"].format(word=f"*{term.word}*")
    return f"*{term.word}*"


def _definitions(question: Question, findings: Findings, words: phrases.Words) -> Iterator[str]:
    for name in question.names:
        last = name_of(name)
        exact = [found for found in findings.found if found.exact and found.name == last]
        near = [found for found in findings.found if not found.exact]
        if exact and question.intent == "callers" and name == question.names[0]:
            yield words["defined"].format(name=last, places=_symbols(exact))
        elif not exact and near:
            yield words["near"].format(name=name, places=_symbols(near))


def _endings(
    question: Question, findings: Findings, shown: Sequence[Place], words: phrases.Words
) -> Iterator[str]:
    if question.intent == "callers":
        yield from _callers(question, findings, shown, words)
    else:
        yield from _contents(question, findings, words)
        yield from _called_from(question, findings, shown, words)
        if also := _also(question, findings, shown):
            yield words["also"].format(places=", ".join(also))
    there = {path.rsplit("/", 1)[-1] for path in findings.files}
    absent = [term for term in missed(question, findings) if term.word not in there]
    if shown and absent:
        yield words["missed"].format(words=", ".join(f"*{term.word}*" for term in absent))
    if findings.refusals:
        reasons = "; ".join(dict.fromkeys(findings.refusals))
        yield words["refused"].format(reasons=reasons[:600])


def _contents(question: Question, findings: Findings, words: phrases.Words) -> Iterator[str]:
    """What a file that the question names consists of."""
    for path, symbols in findings.outlines.items():
        outer = [s for s in symbols if "/" not in s.name_path]
        if outer and is_asked(path, question):
            listed = [f"`{s.name_path}` ({s.first}-{s.last})" for s in outer[:MAX_LISTED]]
            left = len(outer) - len(listed)
            places = ", ".join([*listed, f"+{left}"] if left else listed)
            yield words["holds"].format(path=path, places=places)


def _callers(
    question: Question, findings: Findings, shown: Sequence[Place], words: phrases.Words
) -> Iterator[str]:
    name = name_of(question.names[0])
    used = [line for line in uses(question, findings) if not _inside(line, shown)]
    if not used and not shown:
        yield words["no_calls"].format(name=name)
    for key, lines in (
        ("also", [line for line in used if not is_test(line.path)]),
        ("tests", [line for line in used if is_test(line.path)]),
    ):
        if lines:
            yield words[key].format(places=", ".join(_with_symbol(lines, findings)))


def _called_from(
    question: Question, findings: Findings, shown: Sequence[Place], words: phrases.Words
) -> Iterator[str]:
    for name in followed(question, findings):
        used = [
            f"`{line.path}:{line.number}`"
            for line in findings.uses
            if re.search(rf"\b{re.escape(name)}\s*\(", line.text)
            and defined_in(line.text) != name
            and not is_test(line.path)
            and not _inside(line, shown)
        ]
        if used:
            yield words["called"].format(name=name, places=", ".join(used[:MAX_ALSO]))


def _also(question: Question, findings: Findings, shown: Sequence[Place]) -> list[str]:
    seen = {place.path for place in shown}
    places = []
    for place in all_places(question, findings):
        if place not in shown and not any(_touch(place, other) for other in shown):
            places.append(_named(place))
            seen.add(place.path)
    for score in files_by_weight(question, findings):
        lines = [line for line in findings.lines.values() if line.path == score.path]
        if score.path not in seen and lines:
            places.append(f"`{score.path}:{lines[0].number}`")
    return places[:MAX_ALSO]


def _named(place: Place) -> str:
    if place.symbol:
        return f"`{place.path}:{place.first}-{place.last}` `{place.symbol}`"
    return f"`{place.path}:{place.focus[0] if place.focus else place.first}`"


def _nothing(question: Question, words: phrases.Words) -> str:
    searched = [*question.paths, *question.names, *(term.word for term in question.terms)]
    return words["nothing"].format(searched=", ".join(f"*{one}*" for one in searched))


def _symbols(found: Sequence[Found]) -> str:
    return ", ".join(f"`{f.path}:{f.first}-{f.last}` `{f.name_path}`" for f in found[:MAX_ALSO])


def _with_symbol(lines: Sequence[Line], findings: Findings) -> list[str]:
    places = []
    for line in lines[: 2 * MAX_ALSO]:
        around = enclosing(findings.outlines.get(line.path, ()), line.number)
        symbol = f" `{around.name_path}`" if around else ""
        places.append(f"`{line.path}:{line.number}`{symbol}")
    left = len(lines) - len(places)
    return [*places, f"+{left}"] if left else places


def _lines(numbers: Iterable[int], words: phrases.Words) -> str:
    """``line 3``, ``lines 3-14``, ``lines 3, 7, 9``."""
    known = list(dict.fromkeys(numbers))
    if isinstance(numbers, tuple) and len(known) == 2:
        return words["lines"].format(lines=f"{known[0]}-{known[1]}")
    key = "line" if len(known) == 1 else "lines"
    return words[key].format(lines=", ".join(map(str, known[:6])))


def _inside(line: Line, places: Sequence[Place]) -> bool:
    return any(p.path == line.path and p.first <= line.number <= p.last for p in places)


def _touch(one: Place, other: Place) -> bool:
    return one.path == other.path and one.first <= other.last and other.first <= one.last
