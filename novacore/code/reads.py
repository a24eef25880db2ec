"""Reads by symbol, line range or byte range; the whole file only when it is small."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from novacore.code import cuts, listing
from novacore.code.outline import outline
from novacore.code.symbol_reads import OpenFile, flagged, read_symbol
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
from novacore.types import Range, ReadResult

WHOLE_LINES = 400
"""Lines up to which a file is read whole, when the tokens fit too."""

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


def _open(path: str, data: bytes, max_tokens: int, base: ReadResult) -> OpenFile:
    encoding = encoding_of(data)[0]
    source: bytes = data
    to_file: Callable[[int], int] = _same
    if encoding not in AS_IS:
        decoded = decode(data)
        source, encoding = parsed_bytes(data, decoded), decoded.encoding
        to_file = file_offsets(source, decoded)
    base = replace(base, encoding=encoding, total_lines=line_count(source))
    return OpenFile(path, data, source, to_file, max_tokens, base)


def _same(offset: int) -> int:
    return offset


def _answer(file: OpenFile, target: Target) -> ReadResult:
    if target.symbol:
        return read_symbol(file, target.symbol)
    if target.outline:
        return _read_outline(file)
    if target.start_byte >= 0 or target.end_byte >= 0:
        return _read_bytes(file, max(target.start_byte, 0), target.end_byte)
    if target.start_line or target.end_line:
        return _read_lines(file, max(target.start_line, 1), target.end_line)
    return _read_whole(file)


def _read_whole(file: OpenFile) -> ReadResult:
    small = file.base.total_lines <= WHOLE_LINES and cuts.fits(file.source, file.max_tokens)
    if small:
        return _cut(file, 0, len(file.source))
    found = _read_outline(file)
    size = f"{file.base.total_lines:,} lines, {len(file.data):,} bytes"
    advice = "read a symbol or a line range" if found.text else "read a line range, or search it"
    reason = f"{size}: too large to read whole; {advice}"
    return replace(found, status="too_large", reason=reason)


def _read_outline(file: OpenFile) -> ReadResult:
    found = outline(file.path, file.data)
    text = listing.render(found.symbols, max_chars=min(listing.MAX_CHARS, 2 * file.max_tokens))
    return replace(
        flagged(file.base, found),
        status=found.status,
        text=text,
        reason=found.reason,
        outline=found.symbols,
    )


def _read_lines(file: OpenFile, first: int, last: int) -> ReadResult:
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


def _long_line(file: OpenFile, line: int, start: int) -> ReadResult:
    end = line_start(file.source[start:], 2) + start
    first, last = file.to_file(start), file.to_file(end)
    reason = f"line {line} alone is too long; read bytes of {first}-{last} in pieces"
    place = Range(start_line=line, end_line=line, start_byte=first, end_byte=last)
    return replace(file.base, status="too_large", range=place, reason=reason)


def _read_bytes(file: OpenFile, first: int, last: int) -> ReadResult:
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


def _cut(file: OpenFile, start: int, end: int) -> ReadResult:
    """The piece ``start`` to ``end`` (offsets of ``source``) as an answer."""
    place = Range(
        start_line=line_at(file.source, start),
        end_line=line_at(file.source, max(start, end - 1)),
        start_byte=file.to_file(start),
        end_byte=file.to_file(end),
    )
    text = file.source[start:end].decode("utf-8", "surrogateescape")
    return replace(file.base, range=place, text=text)
