"""Parts of a stored text: by bytes, characters or lines, never more than was asked for."""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

_CHUNK = 2**20
_CONTINUATION = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a text. Bytes are half-open offsets; a read goes on at ``end_byte``.

    Lines are 1-based and inclusive, 0 where the read did not count them.
    """

    text: str
    start_byte: int
    end_byte: int
    total_bytes: int
    cut: bool = False
    """There was more in the range than ``max_chars``."""
    start_line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Sizes of a text. A last line without 0x0a counts as a line."""

    chars: int
    lines: int
    sha256: str


def measure(file: BinaryIO) -> Measure:
    """Measure a UTF-8 file, a piece at a time."""
    digest, chars, newlines, last = hashlib.sha256(), 0, 0, b"\n"
    for _, chunk in _chunks(file, 0):
        digest.update(chunk)
        chars += _chars(chunk)
        newlines += chunk.count(b"\n")
        last = chunk[-1:]
    return Measure(chars=chars, lines=newlines + (last != b"\n"), sha256=digest.hexdigest())


def by_bytes(file: BinaryIO, start: int, end: int, *, max_chars: int) -> Part:
    """The characters whose first byte lies in ``start`` to ``end``.

    So neighbouring ranges of any size give every character once.
    """
    first = _next_char(file, max(start, 0))
    behind = _next_char(file, max(end, first))
    file.seek(first)
    data = file.read(min(behind - first, 4 * max(max_chars, 0)))
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(data)[: max(max_chars, 0)]
    stop = first + len(text.encode())
    return Part(
        text=text, start_byte=first, end_byte=stop, total_bytes=_size(file), cut=stop < behind
    )


def by_chars(file: BinaryIO, start: int, end: int, *, max_chars: int) -> Part:
    """Characters ``start`` to ``end``, 0-based and half-open."""
    wanted = max(end - max(start, 0), 0)
    first = _byte_of_char(file, max(start, 0))
    part = by_bytes(file, first, first + 4 * wanted, max_chars=min(wanted, max_chars))
    return replace(part, cut=wanted > max_chars and part.end_byte < part.total_bytes)


def by_lines(file: BinaryIO, start: int, end: int, *, max_chars: int) -> Part:
    """Lines ``start`` to ``end``, 1-based and inclusive, each with its 0x0a."""
    start = max(start, 1)
    first = _byte_of_line(file, start, from_byte=0, from_line=1)
    behind = _byte_of_line(file, max(end + 1, start), from_byte=first, from_line=start)
    part = by_bytes(file, first, behind, max_chars=max_chars)
    opened = part.text != "" and not part.text.endswith("\n")
    return replace(part, start_line=start, end_line=start - 1 + part.text.count("\n") + opened)


def _size(file: BinaryIO) -> int:
    return file.seek(0, os.SEEK_END)


def _chunks(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    file.seek(start)
    while chunk := file.read(_CHUNK):
        yield start, chunk
        start += len(chunk)


def _chars(data: bytes) -> int:
    return len(data.translate(None, _CONTINUATION))


def _next_char(file: BinaryIO, offset: int) -> int:
    file.seek(min(offset, _size(file)))
    offset, near = file.tell(), file.read(3)
    return offset + len(near) - len(near.lstrip(_CONTINUATION))


def _byte_of_char(file: BinaryIO, wanted: int) -> int:
    for offset, chunk in _chunks(file, 0):
        count = _chars(chunk)
        if count > wanted:
            whole = chunk.lstrip(_CONTINUATION)
            before = whole.decode("utf-8", "ignore")[:wanted]
            return offset + len(chunk) - len(whole) + len(before.encode())
        wanted -= count
    return _size(file)


def _byte_of_line(file: BinaryIO, wanted: int, *, from_byte: int, from_line: int) -> int:
    missing = wanted - from_line
    if missing <= 0:
        return from_byte
    for offset, chunk in _chunks(file, from_byte):
        count = chunk.count(b"\n")
        if count >= missing:
            at = -1
            for _ in range(missing):
                at = chunk.index(b"\n", at + 1)
            return offset + at + 1
        missing -= count
    return _size(file)
