"""Edits that replace a whole declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator

from novacore.code import namepath
from novacore.code.outline import outline
from novacore.code.places import Document, Edit, Place, Refusal, lf, line_of, stale
from novacore.code.text import encode
from novacore.types import Status, Symbol

_COMMENT = re.compile(r"\s*(#|//|/\*|\*|--)")
_KEYWORD = re.compile(r"\s*(const|let|var)\b")


def place_of_symbol(
    edit: Edit, now: Document, seen: Document | None, *, fresh: bool
) -> list[Place] | Refusal:
    """The place of a declaration with its decorators, and the new one made to fit there."""
    symbol = _find(edit.symbol, now)
    if isinstance(symbol, Refusal):
        return symbol
    start, end = _span(now, symbol)
    if not fresh and _text_in(seen, symbol.name_path) != now.text[start:end]:
        first, last = symbol.range.start_line, symbol.range.end_line
        return stale(now, first, last, f"{edit.symbol} may have changed since you read it")
    if _shares_its_statement(now.text, start, edit.new):
        reason = f"{edit.symbol} shares its statement with others; edit it by its text"
        return Refusal(status="failed", reason=reason)
    new, note = _fitted(edit.new, symbol, now, start, end)
    if not new:
        start, end = _whole_lines(now.text, start, end)
    return [Place(start=start, end=end, new=new, moved=not fresh, note=note)]


def _find(name: str, document: Document) -> Symbol | Refusal:
    found = outline(document.path, document.data)
    if found.status != "ok":
        return Refusal(status=found.status, reason=f"{found.reason}; edit by text or lines instead")
    matches = namepath.match(name, found.symbols)
    if len(matches) == 1:
        return matches[0]
    status: Status = "ambiguous" if matches else "not_found"
    listed = ", ".join(symbol.name_path for symbol in matches[:20])
    reason = f"{len(matches)} symbols fit {name}: {listed}" if matches else f"no symbol {name}"
    return Refusal(status=status, reason=reason)


def _span(document: Document, symbol: Symbol) -> tuple[int, int]:
    """Offsets of characters for those of bytes."""
    before = document.data[len(document.decoded.bom) : symbol.range.start_byte]
    inside = document.data[symbol.range.start_byte : symbol.range.end_byte]
    start = _chars(before, document)
    return start, start + _chars(inside, document)


def _chars(piece: bytes, document: Document) -> int:
    encoding = document.decoded.encoding
    if encoding in ("utf-8", "unknown"):
        return len(piece.decode("utf-8", "surrogateescape"))
    return len(piece.decode(encoding))


def _text_in(document: Document | None, name_path: str) -> str | None:
    """The symbol's text in another version of the file."""
    symbol = _find(name_path, document) if document else None
    if document is None or symbol is None or isinstance(symbol, Refusal):
        return None
    start, end = _span(document, symbol)
    return document.text[start:end]


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines of the region, if nothing else stands in them."""
    first = text.rfind("\n", 0, start) + 1
    behind = text.find("\n", end) + 1 or len(text)
    alone = not text[first:start].strip() and not text[end:behind].strip()
    return (first, behind) if alone else (start, end)


def _shares_its_statement(text: str, start: int, new: str) -> bool:
    """One of ``const a = 1, b = 2``: a keyword in ``new`` would be doubled."""
    return bool(_KEYWORD.match(new)) and text[:start].rstrip().endswith(",")


def _fitted(new: str, symbol: Symbol, now: Document, start: int, end: int) -> tuple[str, str]:
    """``new`` without what stands around the region already, and what to tell the author."""
    new = _without_comment(lf(new).rstrip().lstrip("\n"), now.text[:start])
    margin = now.text[now.text.rfind("\n", 0, start) + 1 : start]
    if not new or margin.strip():
        return new.lstrip(), ""
    candidates = list(dict.fromkeys(_indented(new, margin)))
    fitting = [c for c in candidates if _takes_its_place(c, symbol, now, start, end)]
    chosen = (fitting or candidates)[0]
    lost = "" if fitting else f"; check it: {symbol.name} is not declared there as one symbol now"
    return chosen, lost


def _without_comment(new: str, before: str) -> str:
    """``new`` without leading comment lines that stand right above the declaration already."""
    lines = new.split("\n")
    above = [line.strip() for line in before.rstrip(" \t").rstrip("\r\n").split("\n")[-50:]]
    for count in range(min(len(lines) - 1, len(above)), 0, -1):
        head = lines[:count]
        same = [line.strip() for line in head] == above[-count:]
        if same and all(_COMMENT.match(line) for line in head):
            return "\n".join(lines[count:])
    return new


def _indented(new: str, margin: str) -> Iterator[str]:
    """Readings of the author's indentation, likeliest first; line 1 has its margin already."""
    lines = new.split("\n")
    own = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    rest = [line for line in lines[1:] if line.strip()]
    if own and own != margin and all(line.startswith(own) for line in rest):
        moved = [line.removeprefix(own) for line in lines]
        yield "\n".join(
            [moved[0], *(margin + line if line.strip() else line for line in moved[1:])]
        )
    yield "\n".join([lines[0].lstrip(), *lines[1:]])
    if not own and margin:
        yield "\n".join(
            [lines[0], *(margin + line if line.strip() else line for line in lines[1:])]
        )


def _takes_its_place(text: str, symbol: Symbol, now: Document, start: int, end: int) -> bool:
    """Whether the file then has one declaration, of that depth, exactly where the old one was."""
    whole = now.text[:start] + text + now.text[end:]
    try:
        after = outline(now.path, encode(now.decoded, whole))
    except UnicodeEncodeError:
        return False
    last = line_of(whole, start + len(text) - 1)
    wanted = (symbol.depth, symbol.range.start_line, last)
    return any(
        (other.depth, other.range.start_line, other.range.end_line) == wanted
        for other in after.symbols
    )
