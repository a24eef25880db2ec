"""Declarations become symbols: nested by their extent, named, placed in the file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from novacore.code import namepath
from novacore.code.declarations import Declaration
from novacore.code.namepath import NamePath, Segment
from novacore.types import Range, Symbol, SymbolKind

_CLASS_LIKE = {"class", "interface", "struct", "trait", "impl", "enum"}
_FUNCTION_LIKE = {"function", "method"}
SIGNATURE_CHARS = 240
MAX_DEPTH = 32
"""Symbols nested deeper are left out: each path repeats the names of all its parents."""


@dataclass(frozen=True, slots=True)
class _Placed:
    declaration: Declaration
    kind: SymbolKind
    parent: int


def symbols_of(
    data: bytes, found: Sequence[Declaration], to_file: Callable[[int], int] = lambda offset: offset
) -> tuple[Symbol, ...]:
    """Symbols in source order, parents first.

    ``data`` is what was parsed and ``found`` is ordered by start, outer before inner. ``to_file``
    turns offsets of ``data`` into offsets of the file's bytes.
    """
    placed = _nest(found)
    paths = _paths(placed)
    place = _placer(data, to_file)
    return tuple(
        _symbol(data, item, path, name, place)
        for item, path, name in zip(placed, paths, _printed(paths), strict=True)
    )


def _nest(found: Sequence[Declaration]) -> list[_Placed]:
    placed: list[_Placed] = []
    around: list[int] = []
    for declaration in found:
        while around and placed[around[-1]].declaration.end < max(
            declaration.end, declaration.start + 1
        ):
            around.pop()
        outer = [placed[index] for index in around]
        in_function = any(item.kind in _FUNCTION_LIKE for item in outer)
        if len(outer) >= MAX_DEPTH or (declaration.outside_functions and in_function):
            continue
        kind = declaration.kind
        if declaration.member and outer and outer[-1].kind in _CLASS_LIKE:
            kind = declaration.member
        placed.append(_Placed(declaration, kind, around[-1] if around else -1))
        around.append(len(placed) - 1)
    return placed


def _paths(placed: Sequence[_Placed]) -> list[tuple[Segment, ...]]:
    """Whole paths; same-named siblings are numbered, and children carry their parents' numbers."""
    siblings = Counter((item.parent, item.declaration.name) for item in placed)
    seen: Counter[tuple[int, str]] = Counter()
    paths: list[tuple[Segment, ...]] = []
    for item in placed:
        key = (item.parent, item.declaration.name)
        segment = Segment(item.declaration.name, seen[key] if siblings[key] > 1 else None)
        seen[key] += 1
        paths.append((*(paths[item.parent] if item.parent >= 0 else ()), segment))
    return paths


def _printed(paths: Sequence[tuple[Segment, ...]]) -> list[str]:
    """Each path so that it reads back to its symbol: with ``/`` where it ends a longer path too."""
    endings: dict[tuple[str, ...], set[tuple[Segment, ...]]] = {}
    for path in paths:
        for start in range(1, len(path)):
            ending = path[start:]
            endings.setdefault(tuple(segment.name for segment in ending), set()).add(ending)
    return [namepath.render(NamePath(path, anchored=_shadowed(path, endings))) for path in paths]


def _shadowed(
    path: tuple[Segment, ...], endings: Mapping[tuple[str, ...], set[tuple[Segment, ...]]]
) -> bool:
    others = endings.get(tuple(segment.name for segment in path), set())
    # An anchor that was not needed does no harm; looking through thousands of twins would.
    return len(others) > 100 or any(namepath.fits(NamePath(path), NamePath(o)) for o in others)


def _placer(data: bytes, to_file: Callable[[int], int]) -> Callable[[int, int], Range]:
    newlines = [match.start() for match in re.finditer(rb"\n", data)]

    def place(start: int, end: int) -> Range:
        return Range(
            start_line=bisect_left(newlines, start) + 1,
            end_line=bisect_left(newlines, max(start, end - 1)) + 1,
            start_byte=to_file(start),
            end_byte=to_file(end),
        )

    return place


def _symbol(
    data: bytes,
    item: _Placed,
    path: tuple[Segment, ...],
    name_path: str,
    place: Callable[[int, int], Range],
) -> Symbol:
    declaration = item.declaration
    return Symbol(
        name_path=name_path,
        name=declaration.name,
        kind=item.kind,
        range=place(declaration.start, declaration.end),
        name_range=place(declaration.name_start, declaration.name_end),
        signature=_signature(data, declaration),
        doc_range=place(*declaration.doc) if declaration.doc else None,
        body_range=place(*declaration.body) if declaration.body else None,
        depth=len(path) - 1,
        approximate=declaration.approximate,
    )


def _signature(data: bytes, declaration: Declaration) -> str:
    """From behind the decorators to the body, on one line."""
    end = declaration.body[0] if declaration.body else declaration.end
    head = data[declaration.head_start : min(end, declaration.head_start + 4 * SIGNATURE_CHARS)]
    text = " ".join(head.decode("utf-8", "replace").split())
    if declaration.body:
        text = text.removesuffix("=>").rstrip(" {:=")
    return text if len(text) <= SIGNATURE_CHARS else text[: SIGNATURE_CHARS - 1] + "…"
