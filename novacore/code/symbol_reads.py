"""Reads of a symbol: the declaration, or why it cannot be told."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from novacore.code import cuts, listing, namepath
from novacore.code.outline import outline
from novacore.code.text import AS_IS, line_at
from novacore.types import Candidate, Outline, ReadResult, Status, Symbol

MAX_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file that is being read; ``base`` is the answer as far as it is known."""

    path: str
    data: bytes
    source: bytes
    """What lines are counted in; ``to_file`` leads from its offsets to those of ``data``."""
    to_file: Callable[[int], int]
    max_tokens: int
    base: ReadResult


def flagged(base: ReadResult, found: Outline) -> ReadResult:
    """``base`` with what the outline says of the file."""
    return replace(
        base,
        language=found.language,
        partial=found.partial,
        generated=found.generated,
        minified=found.minified,
    )


def read_symbol(file: OpenFile, query: str) -> ReadResult:
    """The symbol that ``query`` names; candidates or the nearest names when that is not clear."""
    found = outline(file.path, file.data)
    base = flagged(file.base, found)
    if found.status != "ok":
        reason = f"{found.reason}{_mentions(file, query)}"
        return replace(base, status=found.status, reason=reason)
    matches = namepath.match(query, found.symbols)
    if not matches:
        nearest = _nearest(query, found.symbols)
        reason = f"no symbol {query}{_mentions(file, query)}"
        if found.partial:
            reason = f"{reason}; {found.reason}"
        return replace(base, status="not_found", nearest=nearest, reason=reason)
    if len(matches) > 1:
        return _several(base, query, matches)
    return _one(file, base, found, matches[0])


def _one(file: OpenFile, base: ReadResult, found: Outline, symbol: Symbol) -> ReadResult:
    piece = file.data[symbol.range.start_byte : symbol.range.end_byte]
    result = replace(
        base,
        name_path=symbol.name_path,
        kind=symbol.kind,
        range=symbol.range,
        approximate=symbol.approximate,
        reason=found.reason,
    )
    text = _decode(piece, base.encoding)
    if cuts.fits(text.encode("utf-8", "surrogateescape"), file.max_tokens):
        return replace(result, text=text)
    inner = listing.children(found.symbols, symbol)
    shown = listing.render((symbol, *inner), max_chars=min(listing.MAX_CHARS, 2 * file.max_tokens))
    first, last = symbol.range.start_line, symbol.range.end_line
    reason = f"lines {first}-{last} are too large at once; read a child or a line range of them"
    return replace(result, status="too_large", text=shown, outline=inner, reason=reason)


def _several(base: ReadResult, query: str, matches: Sequence[Symbol]) -> ReadResult:
    many = len(matches) > MAX_CANDIDATES
    candidates = tuple(
        Candidate(
            path=base.path,
            name_path=symbol.name_path,
            kind=symbol.kind,
            start_line=symbol.range.start_line,
            end_line=symbol.range.end_line,
            signature=symbol.signature,
        )
        for symbol in matches[:MAX_CANDIDATES]
    )
    advice = "name its parent too" if many else "read one of them by its whole name path"
    reason = f"{len(matches)} symbols fit {query}; {advice}"
    status: Status = "too_many" if many else "ambiguous"
    return replace(base, status=status, candidates=candidates, reason=reason)


def _nearest(query: str, symbols: Sequence[Symbol]) -> tuple[str, ...]:
    from rapidfuzz import fuzz, process

    name = namepath.last_name(query).lower()
    names = [symbol.name.lower() for symbol in symbols]
    best = process.extract(name, names, scorer=fuzz.ratio, limit=5)
    return tuple(symbols[index].name_path for _, _, index in best)


def _mentions(file: OpenFile, query: str) -> str:
    """Lines where the name stands as a word: what is left when symbols do not help."""
    name = namepath.last_name(query).encode("utf-8", "surrogateescape")
    if not name:
        return ""
    word = re.compile(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)")
    found = islice(word.finditer(file.source), 200)
    lines = list(dict.fromkeys(line_at(file.source, match.start()) for match in found))[:5]
    return f"; the word stands in lines {', '.join(map(str, lines))}" if lines else ""


def _decode(piece: bytes, encoding: str) -> str:
    if encoding in AS_IS:
        return piece.decode("utf-8", "surrogateescape")
    return piece.decode(encoding)
