r"""Name paths: ``[/]seg(/seg)*`` with ``seg = name`` or ``name[n]``; ``\/ \[ \\`` escape.

``name[n]`` counts same-named siblings from 0 and is shown only for duplicates. Without a leading
``/`` a path matches as a suffix. ``.``, ``::``, ``#``, ``(*T).m`` and a trailing ``()`` are
accepted where nothing matches literally.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from novacore.types import Symbol

_INDEX = re.compile(r"\[(\d{1,9})\]\Z")
_SEPARATORS = re.compile(r"::|[./#]")
_RECEIVER = re.compile(r"\(\*?\s*(\w+)\s*\)")
_CALL = re.compile(r"\(\s*\)\Z")


@dataclass(frozen=True, slots=True)
class Segment:
    """A name and, for one of several siblings of that name, its 0-based number."""

    name: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class NamePath:
    """A parsed name path. ``anchored``: it began with ``/`` and names the whole path."""

    segments: tuple[Segment, ...]
    anchored: bool = False


def parse(text: str) -> NamePath:
    """Take a name path apart; every text is a name path, the empty one has no segments."""
    anchored = text.startswith("/")
    pieces = _split(text[1:] if anchored else text)
    return NamePath(tuple(_segment(raw) for raw in pieces), anchored)


def render(path: NamePath) -> str:
    """The text that ``parse`` takes apart into the same path."""
    text = "/".join(map(_render_segment, path.segments))
    return "/" + text if path.anchored else text


def match(query: str, symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    """The symbols that ``query`` may mean: literally, else by alias, else in another notation."""
    symbols = tuple(symbols)
    wanted = parse(query)
    if not wanted.segments:
        return ()
    literal = tuple(s for s in symbols if fits(wanted, parse(s.name_path)))
    if literal:
        return literal
    aliased = tuple(s for s in symbols if any(fits(wanted, parse(a)) for a in s.aliases))
    return aliased or _match_loosely(query, wanted.anchored, symbols)


def fits(query: NamePath, path: NamePath) -> bool:
    """Whether ``query`` names ``path``: its whole, or its end when the query is not anchored."""
    size = len(query.segments)
    if size > len(path.segments) or (query.anchored and size != len(path.segments)):
        return False
    ends = path.segments[len(path.segments) - size :]
    return all(map(_same, query.segments, ends))


def last_name(query: str) -> str:
    """The name that a query ends in, whatever its notation."""
    loose = _loosen(query)
    return loose[-1].name if loose else ""


def _match_loosely(query: str, anchored: bool, symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    wanted = NamePath(_loosen(query), anchored)
    if not wanted.segments:
        return ()
    return tuple(s for s in symbols if fits(wanted, NamePath(_loosen(s.name_path))))


def _loosen(text: str) -> tuple[Segment, ...]:
    text = _CALL.sub("", _RECEIVER.sub(r"\1", text))
    return tuple(_segment_of(piece) for piece in _SEPARATORS.split(text) if piece)


def _segment_of(text: str) -> Segment:
    return _segment([(char, False) for char in text])


def _same(wanted: Segment, segment: Segment) -> bool:
    return wanted.name == segment.name and wanted.index in (None, segment.index or 0)


def _split(text: str) -> list[list[tuple[str, bool]]]:
    """Characters of each segment, each with whether it was escaped."""
    pieces: list[list[tuple[str, bool]]] = [[]] if text else []
    chars = iter(text)
    for char in chars:
        if char == "/":
            pieces.append([])
        elif char == "\\":
            pieces[-1].append((next(chars, "\\"), True))
        else:
            pieces[-1].append((char, False))
    return pieces


def _segment(raw: list[tuple[str, bool]]) -> Segment:
    name = "".join(char for char, _ in raw)
    index = _INDEX.search(name)
    if index is None or raw[index.start()][1] or index.start() == 0:
        return Segment(name)
    return Segment(name[: index.start()], int(index.group(1)))


def _render_segment(segment: Segment) -> str:
    name = segment.name.replace("\\", "\\\\").replace("/", "\\/")
    index = _INDEX.search(name)
    if index and index.start() > 0:
        name = name[: index.start()] + "\\" + name[index.start() :]
    return name if segment.index is None else f"{name}[{segment.index}]"
