"""Parsing within bounds of size and time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

MAX_BYTES = 1_000_000
"""A node takes 103 bytes, 64 times the source for minified code (measured)."""
MAX_SECONDS = 2.0

_CHUNK = 65_536


def parse(data: bytes, language: Language, *, seconds: float = MAX_SECONDS) -> Tree | None:
    """The syntax tree, or None when it was not ready within ``seconds``.

    The read-callback form is used because the progress callback works with no other.
    """
    from tree_sitter import Parser

    end = time.monotonic() + seconds
    stopped = False

    def late(*_: object) -> bool:
        nonlocal stopped
        stopped = time.monotonic() > end
        return stopped

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + _CHUNK]

    try:
        return Parser(language).parse(read, progress_callback=late)
    except ValueError:
        if not stopped:
            raise
        return None


def first_error(tree: Tree) -> int | None:
    """The byte where the first parse error begins."""
    node = tree.root_node
    while node.has_error and not node.is_error:
        inner = next((child for child in node.children if child.has_error), None)
        if inner is None:
            return node.start_byte
        node = inner
    return node.start_byte if node.is_error else None
