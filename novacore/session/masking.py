"""Masks secrets in the text fields of a record: the one choke point before the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

TEXT_FIELDS = frozenset(
    {
        "text",
        "framed",
        "input",
        "summary",
        "command",
        "rule",
        "error_line",
        "failing",
        "title",
        "detail",
        "reason",
        "note",
        "uri",
        "path",
    }
)
"""Fields whose words come from people, models, tools or plugins; never ids or hashes."""

CONTAINERS = frozenset(
    {"blocks", "items", "parts", "question", "boundary", "state", "passages", "source", "files"}
)


def mask_record(data: Mapping[str, Any], mask: Callable[[str], str]) -> dict[str, Any]:
    """A copy of ``data`` with every text field masked; everything else is the same object."""
    return {key: _value(key, value, mask) for key, value in data.items()}


def _value(key: str, value: Any, mask: Callable[[str], str]) -> Any:
    if key in TEXT_FIELDS:
        return _deep(value, mask)
    if key in CONTAINERS:
        return _inside(value, mask)
    return value


def _inside(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, Mapping):
        return mask_record(value, mask)
    if isinstance(value, list | tuple):
        return [_inside(item, mask) for item in value]
    return value


def _deep(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _deep(item, mask) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_deep(item, mask) for item in value]
    return value
