"""The value of a shell word, when it is the same whatever the environment is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from novacore.config.folders import expanded

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPANDS = re.compile(r"(?<!\\)[*?\[\]{}$`!^]|[@+!?*]\(")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_IN_STRING = re.compile(r'\\([$`"\\])')


def word(node: Node) -> str | None:
    """What the word under ``node`` comes to, or None when only the shell will know."""
    text = (node.text or b"").decode()
    if node.type in ("word", "number", "variable_name", "command_name", "test_operator"):
        if node.type == "command_name" and node.named_children:
            return word(node.named_children[0])
        return _home(_ESCAPED.sub(r"\1", text)) if not _EXPANDS.search(text) else None
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "string":
        return _string(node, text)
    if node.type == "concatenation":
        return _joined(node)
    return None


def _string(node: Node, text: str) -> str | None:
    if any(child.type != "string_content" for child in node.named_children):
        return None
    return _ESCAPED_IN_STRING.sub(r"\1", text[1:-1]).replace("\\\n", "")


def _joined(node: Node) -> str | None:
    parts, end = [], node.start_byte
    for child in node.children:
        part = word(child) if child.is_named else None
        if part is None or child.start_byte != end:
            return None
        parts.append(part)
        end = child.end_byte
    return "".join(parts)


def _home(text: str) -> str | None:
    if not text.startswith("~"):
        return text
    if text != "~" and not text.startswith("~/"):
        return None
    return str(expanded(text))
