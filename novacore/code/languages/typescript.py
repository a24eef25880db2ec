"""TypeScript and TSX: two grammars, one table of node kinds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from novacore.code.languages import javascript
from novacore.code.languages.table import Named, Rule, Table, by_field
from novacore.types import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node


def _signature(node: Node) -> SymbolKind | None:
    return "method" if node.parent is not None and node.parent.type == "class_body" else None


def _member_name(node: Node) -> Named | None:
    return javascript.property_name(node.child_by_field_name("name"))


def _named(kind: SymbolKind) -> Rule:
    return Rule(kind=kind, name=by_field("name"))


_MODULE = Rule(kind="namespace", name=_member_name)

TABLE = Table(
    language="typescript",
    extensions=(".ts", ".mts", ".cts"),
    grammar=("tree_sitter_typescript", "language_typescript"),
    rules={
        **javascript.RULES,
        "public_field_definition": javascript.field_rule("name"),
        "abstract_class_declaration": _named("class"),
        "interface_declaration": _named("interface"),
        "type_alias_declaration": _named("type"),
        "enum_declaration": _named("enum"),
        "function_signature": _named("function"),
        "method_signature": Rule(kind=_signature, name=_member_name),
        "abstract_method_signature": Rule(kind="method", name=_member_name),
        "internal_module": _MODULE,
        "module": _MODULE,
    },
    wrappers=javascript.WRAPPERS | {"ambient_declaration"},
    leading=frozenset({"decorator"}),
    recover=javascript.RECOVER,
    recovered=javascript.RECOVERED,
)
TSX = replace(
    TABLE,
    language="tsx",
    extensions=(".tsx",),
    grammar=("tree_sitter_typescript", "language_tsx"),
)
