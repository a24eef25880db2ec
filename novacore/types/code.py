"""Code reads: symbols, ranges and what a read answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from novacore.types.tools import Status

SymbolKind = Literal[
    "class", "function", "method", "variable", "constant", "property", "interface", "enum", "type",
    "namespace", "module", "struct", "trait", "impl", "macro", "field", "section", "key", "cell",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Lines are 1-based and inclusive; bytes are half-open offsets into what was parsed."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A declaration. ``range`` covers decorators, ``export`` and the like, not leading comments."""

    name_path: str
    name: str
    kind: SymbolKind
    range: Range
    name_range: Range
    signature: str
    doc_range: Range | None = None
    body_range: Range | None = None
    aliases: tuple[str, ...] = ()
    depth: int = 0
    approximate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The symbols of one file, in source order, parents before children."""

    path: str
    status: Status
    language: str = ""
    version: str = ""
    lines: int = 0
    bytes: int = 0
    symbols: tuple[Symbol, ...] = ()
    partial: bool = False
    """The file does not parse as a whole; what was recovered is marked ``approximate``."""
    generated: bool = False
    minified: bool = False
    ignored: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible answer to a read that could not decide."""

    path: str
    name_path: str
    kind: str
    start_line: int
    end_line: int
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """The answer to a read. ``version`` is the hash of the whole file that it was cut from."""

    status: Status
    path: str
    name_path: str = ""
    kind: str = ""
    range: Range | None = None
    version: str = ""
    text: str = ""
    """Bytes that are no text of ``encoding`` ``unknown`` stand in it as surrogate escapes."""
    encoding: str = ""
    language: str = ""
    total_lines: int = 0
    total_bytes: int = 0
    candidates: tuple[Candidate, ...] = ()
    nearest: tuple[str, ...] = ()
    outline: tuple[Symbol, ...] = ()
    partial: bool = False
    generated: bool = False
    minified: bool = False
    ignored: bool = False
    approximate: bool = False
    reason: str = ""
    """For a person and a model: why, and what to do next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A line found by text search, or an entry found by name."""

    path: str
    line: int
    text: str
    column: int = 0
    name_path: str = ""
    kind: str = ""
    end_line: int = 0
    start_byte: int = -1
    """Where the match begins; -1 where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The answer to a search: hits in a stable order, and what kept it from being complete."""

    status: Status
    hits: tuple[Hit, ...] = ()
    total: int = 0
    files: int = 0
    reason: str = ""
