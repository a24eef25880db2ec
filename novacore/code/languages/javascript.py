"""JavaScript and JSX; TypeScript builds on it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from novacore.code.languages.table import Named, Rule, Table, by_field, spelled
from novacore.types import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = {"arrow_function", "function_expression", "generator_function"}
_CLASSES = {"class"}
_AROUND_VALUES = {"as_expression", "satisfies_expression", "parenthesized_expression"}
_HOLDERS = {"variable_declarator", "export_statement", "assignment_expression"}
_CONSTANT = re.compile(rb"[A-Z][A-Z0-9_]*")


def value_of(node: Node, name: str = "value") -> Node | None:
    """The value in a field, without casts and parentheses around it."""
    value = node.child_by_field_name(name)
    while value is not None and value.type in _AROUND_VALUES:
        value = value.named_child(0)
    return value


def value_kind(value: Node | None) -> SymbolKind | None:
    """``function`` or ``class`` for a value that is one."""
    if value is None:
        return None
    if value.type in _FUNCTIONS:
        return "function"
    return "class" if value.type in _CLASSES else None


def value_body(node: Node) -> Node | None:
    """The body of the function or class that is the value."""
    for name in ("value", "right"):
        value = value_of(node, name)
        if value is not None:
            return value.child_by_field_name("body") if value_kind(value) else value
    return None


def property_name(node: Node | None) -> Named | None:
    """A member's name: quotes are taken off, computed names keep their brackets."""
    named = spelled(node)
    if named is None or named.node.type != "string":
        return named
    return Named(named.name[1:-1] or named.name, named.node)


def _declarator(node: Node) -> SymbolKind | None:
    name = node.child_by_field_name("name")
    if name is None or name.type != "identifier":
        return None
    kind = value_kind(value_of(node))
    if kind or not _at_top(node):
        return kind
    return "constant" if _CONSTANT.fullmatch(name.text or b"") else "variable"


def _at_top(declarator: Node) -> bool:
    """Whether it stands at the top of a module or namespace, not in a block or a loop's head."""
    holder = declarator.parent.parent if declarator.parent else None
    while holder is not None and holder.type in {"export_statement", "ambient_declaration"}:
        holder = holder.parent
    if holder is None or holder.type == "program":
        return holder is not None
    inside = holder.parent.type if holder.parent else ""
    return holder.type == "statement_block" and inside in {"internal_module", "module"}


def _in_named_object(node: Node) -> bool:
    holder = node.parent.parent if node.parent else None
    while holder is not None and holder.type in _AROUND_VALUES:
        holder = holder.parent
    return holder is not None and holder.type in _HOLDERS


def _pair(node: Node) -> SymbolKind | None:
    return value_kind(value_of(node)) if _in_named_object(node) else None


def _method(node: Node) -> SymbolKind | None:
    in_class = node.parent is not None and node.parent.type == "class_body"
    return "method" if in_class or _in_named_object(node) else None


def _assignment(node: Node) -> SymbolKind | None:
    statement = node.parent is not None and node.parent.type == "expression_statement"
    return value_kind(value_of(node, "right")) if statement else None


def _default_export(node: Node) -> SymbolKind | None:
    value = value_of(node)
    if _default_token(node) is None or value is None:
        return None
    return value_kind(value) or (None if value.type == "identifier" else "variable")


def _default_token(node: Node) -> Named | None:
    token = next((child for child in node.children if child.type == "default"), None)
    return Named("default", token) if token is not None else None


def field_rule(name: str) -> Rule:
    """A class field is a symbol when it holds a function; its name stands in field ``name``."""
    return Rule(
        kind=lambda node: value_kind(value_of(node)),
        name=lambda node: property_name(node.child_by_field_name(name)),
        body=value_body,
    )


def _named(kind: SymbolKind) -> Rule:
    return Rule(kind=kind, name=by_field("name"))


RULES = {
    "function_declaration": _named("function"),
    "generator_function_declaration": _named("function"),
    "class_declaration": _named("class"),
    "method_definition": Rule(
        kind=_method, name=lambda node: property_name(node.child_by_field_name("name"))
    ),
    "pair": Rule(
        kind=_pair,
        name=lambda node: property_name(node.child_by_field_name("key")),
        body=value_body,
    ),
    "variable_declarator": Rule(kind=_declarator, name=by_field("name"), body=value_body),
    "assignment_expression": Rule(kind=_assignment, name=by_field("left"), body=value_body),
    "export_statement": Rule(kind=_default_export, name=_default_token, body=value_body),
}
WRAPPERS = frozenset(
    {"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}
)
RECOVER = re.compile(
    rb"^(?P<indent>[ \t]*)(?:(?:export|default|declare|abstract|async|const)[ \t]+)*"
    rb"(?P<keyword>function|class|interface|enum|type|namespace)\b[ \t]*\*?[ \t]*"
    rb"(?P<name>[^\W\d][\w$]*)",
    re.MULTILINE,
)
RECOVERED: dict[bytes, SymbolKind] = {
    b"function": "function",
    b"class": "class",
    b"interface": "interface",
    b"enum": "enum",
    b"type": "type",
    b"namespace": "namespace",
}

TABLE = Table(
    language="javascript",
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    grammar=("tree_sitter_javascript", "language"),
    rules={**RULES, "field_definition": field_rule("property")},
    wrappers=WRAPPERS,
    leading=frozenset({"decorator"}),
    recover=RECOVER,
    recovered=RECOVERED,
)
