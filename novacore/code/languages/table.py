"""What a language tells the outline: which nodes declare something, and how they are named."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from novacore.types import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Named:
    """A declared name and the node that spells it."""

    name: str
    node: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How nodes of one type declare a symbol. A function answers None for a node that does not."""

    kind: SymbolKind | Callable[[Node], SymbolKind | None]
    name: Callable[[Node], Named | None]
    body: Callable[[Node], Node | None] = lambda node: node.child_by_field_name("body")
    member: SymbolKind | None = None
    """The kind when the enclosing symbol is a class or the like."""
    outside_functions: bool = False
    """Only a symbol when no function encloses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A language, as the outline sees it."""

    language: str
    extensions: tuple[str, ...]
    """With the dot, lower case."""
    grammar: tuple[str, str]
    """Module of the grammar's wheel, and its function that gives the language."""
    rules: Mapping[str, Rule]
    """By node type."""
    wrappers: frozenset[str] = frozenset()
    """Nodes that belong to the one declaration that they hold: decorators, ``export``."""
    leading: frozenset[str] = frozenset()
    """Siblings before a declaration that belong to it."""
    comments: frozenset[str] = frozenset({"comment"})
    docstrings: bool = False
    """A string that is a body's first statement documents it."""
    recover: re.Pattern[bytes] | None = None
    """Finds declarations in a broken file; groups ``indent``, ``keyword``, ``name``."""
    recovered: Mapping[bytes, SymbolKind] = field(default_factory=dict)
    """Kinds by ``keyword``."""


def spelled(node: Node | None) -> Named | None:
    """A name as the source spells it, white space folded."""
    if node is None or node.text is None:
        return None
    return Named(" ".join(node.text.decode("utf-8", "surrogateescape").split())[:200], node)


def by_field(name: str) -> Callable[[Node], Named | None]:
    """The name stands in field ``name``."""
    return lambda node: spelled(node.child_by_field_name(name))
