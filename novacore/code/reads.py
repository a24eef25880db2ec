"""Reads by symbol, line range or byte range; the whole file only when it is small."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from novacore.code import cuts, listing, namepath
from novacore.code.outline import outline
from novacore.code.text import (
    AS_IS,
    decode,
    encoding_of,
    file_offsets,
    is_binary,
    line_at,
    line_count,
    line_start,
    parsed_bytes,
    version_of,
)
from novacore.types import Candidate, Outline, Range, ReadResult, Status, Symbol

WHOLE_LINES = 400
"""Lines up to which a file is read whole, when the tokens fit too."""
MAX_CANDIDATES = 20

_LINES = re.compile(r"(.*?):(\d{1,12})(?:-(\d{1,12}))?\Z", re.DOTALL)
_BYTES = re.compile(r"(.*?)@(\d{1,15})-(\d{1,15})\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What to read: a symbol, else bytes (half-open), else lines (1-based, inclusive), else all."""

    symbol: str = ""
    start_line: int = 0
    end_line: int = 0
    """0: as far as the budget goes."""
    start_byte: int = -1
    end_byte: int = -1
    """-1: as far as the budget goes."""
    outline: bool = False


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    data: bytes
    source: bytes
    """What lines are counted in; ``to_file`` leads from its offsets to those of ``data``."""
    to_file: Callable[[int], int]
    max_tokens: int
    base: ReadResult


def parse_spec(spec: str) -> tuple[str, Target]:
    """Take ``PATH``, ``PATH::NAMEPATH``, ``PATH:L1-L2``, ``PATH:L`` or ``PATH@B1-B2`` apart."""
    path, separator, symbol = spec.partition("::")
    if separator and path:
        return path, Target(symbol=symbol)
    if found := _LINES.match(spec):
        first = int(found[2])
        return found[1], Target(start_line=first, end_line=int(found[3] or first))
    if found := _BYTES.match(spec):
        return found[1], Target(start_byte=int(found[2]), end_byte=int(found[3]))
    return spec, Target()


def read(
    path: str, data: bytes, target: Target, *, max_tokens: int = 8000, expected_version: str = ""
) -> ReadResult:
    """Read ``target`` from the bytes of a file, so that the answer never takes over ``max_tokens``.

    The language follows from the name ``path``. With an ``expected_version`` other than the file's
    the answer is ``stale``: no text, but the new version and range.
    """
    version = version_of(data)
    base = ReadResult(status="ok", path=path, version=version, total_bytes=len(data))
    if is_binary(data):
        return replace(base, status="unreadable", reason="binary file")
    result = _answer(_open(path, data, max_tokens, base), target)
    if expected_version in ("", version) or result.status not in ("ok", "too_large"):
        return result
    reason = f"the file is version {version} now, not {expected_version}; read it again"
    return replace(result, status="stale", text="", outline=(), reason=reason)


def _open(path: str, data: bytes, max_tokens: int, base: ReadResult) -> _File:
    encoding = encoding_of(data)[0]
    source: bytes = data
    to_file: Callable[[int], int] = _same
    if encoding not in AS_IS:
        decoded = decode(data)
        source, encoding = parsed_bytes(data, decoded), decoded.encoding
        to_file = file_offsets(source, decoded)
    base = replace(base, encoding=encoding, total_lines=line_count(source))
    return _File(path, data, source, to_file, max_tokens, base)


def _same(offset: int) -> int:
    return offset


def _answer(file: _File, target: Target) -> ReadResult:
    if target.symbol:
        return _read_symbol(file, target.symbol)
    if target.outline:
        return _read_outline(file)
    if target.start_byte >= 0 or target.end_byte >= 0:
        return _read_bytes(file, max(target.start_byte, 0), target.end_byte)
    if target.start_line or target.end_line:
        return _read_lines(file, max(target.start_line, 1), target.end_line)
    return _read_whole(file)


def _read_whole(file: _File) -> ReadResult:
    small = file.base.total_lines <= WHOLE_LINES and cuts.fits(file.source, file.max_tokens)
    if small:
        return _cut(file, 0, len(file.source))
    found = _read_outline(file)
    size = f"{file.base.total_lines:,} lines, {len(file.data):,} bytes"
    advice = "read a symbol or a line range" if found.text else "read a line range, or search it"
    reason = f"{size}: too large to read whole; {advice}"
    return replace(found, status="too_large", reason=reason)


def _read_outline(file: _File) -> ReadResult:
    found = outline(file.path, file.data)
    text = listing.render(found.symbols, max_chars=min(listing.MAX_CHARS, 2 * file.max_tokens))
    return replace(
        _flagged(file.base, found),
        status=found.status,
        text=text,
        reason=found.reason,
        outline=found.symbols,
    )


def _flagged(base: ReadResult, found: Outline) -> ReadResult:
    return replace(
        base,
        language=found.language,
        partial=found.partial,
        generated=found.generated,
        minified=found.minified,
    )


def _read_lines(file: _File, first: int, last: int) -> ReadResult:
    total = file.base.total_lines
    if 0 < last < first:
        return replace(file.base, status="failed", reason=f"end_line {last} is before {first}")
    if first > max(total, 1):
        return replace(file.base, status="not_found", reason=f"the file has {total:,} lines")
    start = line_start(file.source, first)
    wanted = len(file.source) if not last or last >= total else line_start(file.source, last + 1)
    end = cuts.whole_lines(file.source, start, wanted, file.max_tokens)
    if end == start and wanted > start:
        return _long_line(file, first, start)
    result = _cut(file, start, end)
    if end == wanted:
        return result
    shown = line_at(file.source, end - 1)
    reason = f"cut to what fits: lines {first}-{shown}; go on with start_line={shown + 1}"
    return replace(result, reason=reason)


def _long_line(file: _File, line: int, start: int) -> ReadResult:
    end = line_start(file.source[start:], 2) + start
    first, last = file.to_file(start), file.to_file(end)
    reason = f"line {line} alone is too long; read bytes of {first}-{last} in pieces"
    place = Range(start_line=line, end_line=line, start_byte=first, end_byte=last)
    return replace(file.base, status="too_large", range=place, reason=reason)


def _read_bytes(file: _File, first: int, last: int) -> ReadResult:
    total = len(file.data)
    if last >= 0 and last < first:
        return replace(file.base, status="failed", reason=f"end_byte {last} is before {first}")
    if first >= total > 0:
        return replace(file.base, status="not_found", reason=f"the file has {total:,} bytes")
    if file.source is not file.data:
        reason = f"byte ranges of {file.base.encoding} text cannot be read; read lines"
        return replace(file.base, status="unsupported", reason=reason)
    wanted = total if last < 0 else last
    start, end = cuts.characters(file.data, first, wanted, file.max_tokens)
    result = _cut(file, start, end)
    if end + 3 >= min(wanted, total):
        return result
    return replace(result, reason=f"cut to what fits; go on with start_byte={end}")


def _read_symbol(file: _File, query: str) -> ReadResult:
    found = outline(file.path, file.data)
    base = _flagged(file.base, found)
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


def _one(file: _File, base: ReadResult, found: Outline, symbol: Symbol) -> ReadResult:
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


def _mentions(file: _File, query: str) -> str:
    """Lines where the name stands as a word: what is left when symbols do not help."""
    name = namepath.last_name(query).encode("utf-8", "surrogateescape")
    if not name:
        return ""
    word = re.compile(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)")
    found = islice(word.finditer(file.source), 200)
    lines = list(dict.fromkeys(line_at(file.source, match.start()) for match in found))[:5]
    return f"; the word stands in lines {', '.join(map(str, lines))}" if lines else ""


def _cut(file: _File, start: int, end: int) -> ReadResult:
    """The piece ``start`` to ``end`` (offsets of ``source``) as an answer."""
    place = Range(
        start_line=line_at(file.source, start),
        end_line=line_at(file.source, max(start, end - 1)),
        start_byte=file.to_file(start),
        end_byte=file.to_file(end),
    )
    text = file.source[start:end].decode("utf-8", "surrogateescape")
    return replace(file.base, range=place, text=text)


def _decode(piece: bytes, encoding: str) -> str:
    if encoding in AS_IS:
        return piece.decode("utf-8", "surrogateescape")
    return piece.decode(encoding)
