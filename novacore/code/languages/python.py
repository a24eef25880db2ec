"""Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from novacore.code.languages.table import Named, Rule, Table, by_field, spelled
from novacore.types import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANT = re.compile(rb"_*[A-Z][A-Z0-9_]*")


def _type_alias(node: Node) -> Named | None:
    left = node.child_by_field_name("left")
    while left is not None and left.type != "identifier":
        left = left.named_child(0) if left.named_child_count else None
    return spelled(left)


def _constant(node: Node) -> SymbolKind | None:
    left = node.child_by_field_name("left")
    named = left is not None and left.type == "identifier" and _CONSTANT.fullmatch(left.text or b"")
    statement = node.parent is not None and node.parent.type == "expression_statement"
    return "constant" if named and statement else None


TABLE = Table(
    language="python",
    extensions=(".py", ".pyi", ".pyw"),
    grammar=("tree_sitter_python", "language"),
    rules={
        "class_definition": Rule(kind="class", name=by_field("name")),
        "function_definition": Rule(kind="function", name=by_field("name"), member="method"),
        "type_alias_statement": Rule(kind="type", name=_type_alias),
        "assignment": Rule(kind=_constant, name=by_field("left"), outside_functions=True),
    },
    wrappers=frozenset({"decorated_definition", "expression_statement"}),
    docstrings=True,
    recover=re.compile(
        rb"^(?P<indent>[ \t\f]*)(?:async[ \t]+)?(?P<keyword>def|class)[ \t]+(?P<name>[^\W\d]\w*)",
        re.MULTILINE,
    ),
    recovered={b"def": "function", b"class": "class"},
)
