"""Declarations found line by line where a file does not parse; indentation gives their ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from novacore.code.declarations import Declaration
from novacore.code.languages.table import Table

if TYPE_CHECKING:
    from tree_sitter import Tree

MAX_LINES = 2_000
"""Lines that the extent of one recovered declaration may take."""


def recover(data: bytes, tree: Tree, table: Table, known: list[Declaration]) -> list[Declaration]:
    """Declarations in the broken parts of ``data`` that ``known`` does not hold."""
    if table.recover is None:
        return []
    names = {declaration.name_start for declaration in known}
    return [
        _declaration(match, data, table)
        for start, end in _broken(tree)
        for match in table.recover.finditer(data, start, end)
        if match.start("name") not in names
    ]


def _broken(tree: Tree) -> list[tuple[int, int]]:
    """The spans of the top nodes that hold an error, from the beginning of their line."""
    root = tree.root_node
    if root.is_error:
        return [(0, root.end_byte)]
    nodes = [child for child in root.children if child.has_error or child.is_error]
    return [(node.start_byte - node.start_point[1], node.end_byte) for node in nodes]


def _declaration(match: re.Match[bytes], data: bytes, table: Table) -> Declaration:
    start = match.end("indent")
    keyword = match["keyword"]
    kind = table.recovered[keyword]
    end = _end(data, start, len(match["indent"].expandtabs(8)))
    line_end = _line_end(data, start)
    return Declaration(
        name=match["name"].decode("utf-8", "surrogateescape"),
        kind=kind,
        start=start,
        end=end,
        name_start=match.start("name"),
        name_end=match.end("name"),
        head_start=start,
        body=(line_end, end) if line_end < end else None,
        member="method" if kind == "function" else None,
        approximate=True,
    )


def _end(data: bytes, start: int, indent: int) -> int:
    """The end of the last line that is indented deeper, or closes a bracket at the same depth."""
    end = position = _line_end(data, start)
    for _ in range(MAX_LINES):
        if position >= len(data):
            break
        line = data[position + 1 : _line_end(data, position + 1)]
        stripped = line.strip()
        depth = len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
        closing = depth == indent and stripped[:1] in (b"}", b")", b"]")
        if stripped and depth <= indent and not closing:
            break
        position += 1 + len(line)
        end = start + len(data[start:position].rstrip()) if stripped else end
    return end


def _line_end(data: bytes, offset: int) -> int:
    end = data.find(b"\n", offset)
    return len(data) if end < 0 else end
