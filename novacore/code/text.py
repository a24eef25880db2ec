"""The bytes of a file as text: version, encoding, lines. A line ends at ``\\n``, nowhere else."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

BINARY_WINDOW = 8192
"""Bytes looked at for a NUL; the same window as git's."""

AS_IS = ("utf-8", "unknown")
"""Encodings of files whose own bytes are parsed."""

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_STEP = 1 << 20
_NOT_FOR_FILES = {"unicode_escape", "raw_unicode_escape", "utf_7", "idna", "punycode"}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A file's text; encoded again it is the same bytes.

    ``encoding`` is a Python codec name, or ``unknown``: UTF-8 with surrogate escapes for the bytes
    that are none. ``bom`` is not part of ``text``. ``newline`` is the more frequent line ending.
    """

    text: str
    encoding: str
    bom: bytes = b""
    newline: str = "\n"


def version_of(data: bytes) -> str:
    """The version of a whole file: blake2b of its bytes, 16 hex digits."""
    return blake2b(data, digest_size=8).hexdigest()


def is_binary(data: bytes) -> bool:
    """Whether the first 8 KiB hold a NUL and no byte order mark explains it."""
    return b"\0" in data[:BINARY_WINDOW] and _bom(data)[1] in ("", "utf-8")


def decode(data: bytes) -> Decoded:
    """Decode by byte order mark, UTF-8, or the coding line (PEP 263) of the first two lines."""
    encoding, bom = encoding_of(data)
    body = data[len(bom) :]
    text = _decode_body(body, encoding)
    if encoding not in AS_IS and not _returns(text, encoding, body):
        encoding, text = "unknown", _decode_body(body, "unknown")
    crlf = text.count("\r\n")
    newline = "\r\n" if crlf > text.count("\n") - crlf else "\n"
    return Decoded(text=text, encoding=encoding, bom=bom, newline=newline)


def encoding_of(data: bytes) -> tuple[str, bytes]:
    """The encoding that the bytes decode in, and the byte order mark; makes no whole text.

    ``decode`` also wants the same bytes back, else it says ``unknown``.
    """
    bom, encoding = _bom(data)
    for candidate in _candidates(data[len(bom) : len(bom) + BINARY_WINDOW], encoding):
        if _decodes(data, len(bom), candidate):
            return candidate, bom
    return "unknown", bom


def encode(decoded: Decoded, text: str) -> bytes:
    """``text`` in the encoding and with the byte order mark of ``decoded``.

    Raises UnicodeEncodeError when the encoding has no such character.
    """
    return decoded.bom + _encode_body(text, decoded.encoding)


def parsed_bytes(data: bytes, decoded: Decoded) -> bytes:
    """What the parser and all line mathematics work on: UTF-8, or the file's own bytes."""
    if decoded.encoding in AS_IS:
        return data
    return decoded.text.encode("utf-8", "surrogatepass")


def file_offsets(source: bytes, decoded: Decoded) -> Callable[[int], int]:
    """A function from offsets into ``parsed_bytes`` to offsets into the file."""
    if decoded.encoding in AS_IS:
        return lambda offset: offset

    def width(piece: bytes) -> int:
        return len(piece.decode("utf-8", "surrogatepass").encode(decoded.encoding))

    starts, places = [0], [len(decoded.bom)]
    for line in source.split(b"\n")[:-1]:
        starts.append(starts[-1] + len(line) + 1)
        places.append(places[-1] + width(line + b"\n"))

    def to_file(offset: int) -> int:
        line = bisect_right(starts, offset) - 1
        return places[line] + width(source[starts[line] : offset])

    return to_file


def line_count(data: bytes) -> int:
    """Lines, 0 for an empty file; a last line without a line ending counts."""
    return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)


def line_start(data: bytes, line: int) -> int:
    """Byte offset where 1-based ``line`` begins, or ``len(data)`` when there is no such line."""
    position = 0
    for _ in range(line - 1):
        position = data.find(b"\n", position) + 1
        if not position:
            return len(data)
    return position


def line_at(data: bytes, offset: int) -> int:
    """The 1-based line that holds the byte at ``offset``."""
    return data.count(b"\n", 0, offset) + 1


def lines_of(text: str) -> list[str]:
    """``text`` cut after each ``\\n``, endings kept; joined again it is the same text."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def char_start(data: bytes, offset: int) -> int:
    """``offset`` moved back to the first byte of the UTF-8 character that it points into."""
    offset = max(0, min(offset, len(data)))
    start = offset
    while start > max(0, offset - 3) and start < len(data) and data[start] & 0xC0 == 0x80:
        start -= 1
    inside = start < len(data) and data[start] >= 0xC0
    return start if inside else offset


def _bom(data: bytes) -> tuple[bytes, str]:
    return next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", ""))


def _candidates(head: bytes, encoding: str) -> Iterator[str]:
    return filter(None, (encoding, "utf-8", _cookie(head)))


def _decodes(data: bytes, start: int, encoding: str) -> bool:
    try:
        # Refuses codecs that are not between bytes and text, which the incremental form does not.
        "a".encode(encoding)
        decoder = codecs.getincrementaldecoder(encoding)()
        for offset in range(start, len(data), _STEP):
            decoder.decode(data[offset : offset + _STEP])
        decoder.decode(b"", True)
    except (UnicodeDecodeError, LookupError, ValueError):
        return False
    return True


def _decode_body(body: bytes, encoding: str) -> str:
    if encoding == "unknown":
        return body.decode("utf-8", "surrogateescape")
    return body.decode(encoding)


def _returns(text: str, encoding: str, body: bytes) -> bool:
    try:
        return text.encode(encoding) == body
    except UnicodeEncodeError:
        return False


def _encode_body(text: str, encoding: str) -> bytes:
    if encoding == "unknown":
        return text.encode("utf-8", "surrogateescape")
    return text.encode(encoding)


def _cookie(body: bytes) -> str:
    """The codec that the coding line names, unless it is one that rewrites ASCII."""
    for line in body.split(b"\n", 2)[:2]:
        match = _COOKIE.match(line)
        if match:
            name = match.group(1).decode("ascii").lower()
            return "" if name.replace("-", "_") in _NOT_FOR_FILES else name
    return ""
