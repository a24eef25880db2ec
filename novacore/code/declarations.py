"""From a syntax tree to declarations: the nodes that a language's table names, and their extent."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from novacore.code import parse
from novacore.code.grammars import declarations as declarations_query
from novacore.code.languages.table import Table
from novacore.types import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A declaration before it has a name path. Offsets are half-open into the parsed bytes."""

    name: str
    kind: SymbolKind
    start: int
    end: int
    name_start: int
    name_end: int
    head_start: int
    """Where the signature begins: after decorators."""
    body: tuple[int, int] | None = None
    doc: tuple[int, int] | None = None
    member: SymbolKind | None = None
    outside_functions: bool = False
    approximate: bool = False
    """It holds a parse error, or stands behind the first one."""


def declarations(tree: Tree, table: Table, *, end: float) -> list[Declaration] | None:
    """Every declaration, by start and with the outer one first.

    None when it was not done by ``end`` (monotonic seconds).
    """
    from tree_sitter import QueryCursor

    captures = QueryCursor(declarations_query(table)).captures(tree.root_node)
    sure_until = parse.first_error(tree)
    found = []
    for node in captures.get("declaration", ()):
        if time.monotonic() > end:
            return None
        declaration = _declare(node, table, sure_until)
        if declaration is not None:
            found.append(declaration)
    return sorted(found, key=lambda d: (d.start, -d.end))


def _declare(node: Node, table: Table, sure_until: int | None) -> Declaration | None:
    rule = table.rules[node.type]
    kind = rule.kind(node) if callable(rule.kind) else rule.kind
    named = rule.name(node) if kind else None
    if kind is None or named is None or not named.name:
        return None
    outer = _wrapped(node, table)
    body = rule.body(node)
    return Declaration(
        name=named.name,
        kind=kind,
        start=_start(outer, table),
        end=_end(outer),
        name_start=named.node.start_byte,
        name_end=named.node.end_byte,
        head_start=_head_start(node, outer, table),
        body=(body.start_byte, body.end_byte) if body else None,
        doc=_doc(outer, body, table),
        member=rule.member,
        outside_functions=rule.outside_functions,
        approximate=node.has_error or (sure_until is not None and node.start_byte >= sure_until),
    )


def _wrapped(node: Node, table: Table) -> Node:
    """The outermost node that holds this declaration and no other."""
    outer = node
    while (parent := outer.parent) is not None and parent.type in table.wrappers:
        if sum(_declares(child, table) for child in parent.named_children) > 1:
            break
        outer = parent
    return outer


def _declares(node: Node, table: Table) -> bool:
    return node.type in table.rules or node.type in table.wrappers


def _start(node: Node, table: Table) -> int:
    """Decorators that stand before the node as siblings belong to it, comments between them too."""
    start, sibling = node.start_byte, node.prev_sibling
    while sibling is not None and sibling.type in table.leading | table.comments:
        if sibling.type in table.leading:
            start = sibling.start_byte
        sibling = sibling.prev_sibling
    return start


def _end(node: Node) -> int:
    """A semicolon right behind the node belongs to it."""
    following = node.next_sibling
    attached = following is not None and following.start_byte == node.end_byte
    if attached and following is not None and following.type == ";":
        return following.end_byte
    return node.end_byte


def _head_start(node: Node, outer: Node, table: Table) -> int:
    """Past decorators, but with ``export const`` and the like."""
    head = outer.start_byte
    for child in outer.children:
        if child.type != "decorator" and child.type not in table.comments:
            return child.start_byte
        head = child.end_byte
    return min(head, node.start_byte)


def _doc(outer: Node, body: Node | None, table: Table) -> tuple[int, int] | None:
    """A docstring, or the comment that ends on the line before."""
    first = body.named_child(0) if body is not None and body.named_child_count else None
    if first is not None and first.type == "expression_statement":
        first = first.named_child(0)
    if table.docstrings and first is not None and first.type == "string":
        return first.start_byte, first.end_byte
    return _comment_before(outer, table)


def _comment_before(outer: Node, table: Table) -> tuple[int, int] | None:
    span: tuple[int, int] | None = None
    row, sibling = outer.start_point[0], outer.prev_sibling
    while sibling is not None and sibling.type in table.comments:
        if sibling.end_point[0] + 1 < row:
            break
        span = (sibling.start_byte, span[1] if span else sibling.end_byte)
        row, sibling = sibling.start_point[0], sibling.prev_sibling
    return span
