"""The head of a memory file: flat ``key: value`` lines between two ``---``.

Not YAML on purpose: a person writes ``description: deploys: blue first`` or ``name: 0042`` and
means the words, where YAML sees an error and a number. Lists are ``[a, b]`` or ``- a`` lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?:\s+(.*))?$")
_ITEM = re.compile(r"\s*-\s+(.+)$")
_FENCE = "---"

Value = str | tuple[str, ...]


def split_frontmatter(text: str) -> tuple[Mapping[str, Value], str]:
    """The keys in front, and the body. Raises ValueError with the 1-based line and the reason."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE:
        raise ValueError("line 1: no frontmatter; begin with ---")
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), 0)
    if not end:
        raise ValueError("line 1: the frontmatter is not closed with ---")
    fields: dict[str, Value] = {}
    key = ""
    for number, line in enumerate(lines[1:end], 2):
        if not line.strip() or line.startswith("#"):
            continue
        if key and (item := _ITEM.match(line)):
            fields[key] = _extended(fields[key], _unquoted(item[1]), number)
        elif found := _KEY.match(line):
            key = found[1].lower()
            if key in fields:
                raise ValueError(f"line {number}: {key} stands there twice")
            fields[key] = _value(found[2] or "", number)
        else:
            raise ValueError(f"line {number}: not `key: value`")
    return fields, "\n".join(lines[end + 1 :]).strip("\n")


def _extended(value: Value, item: str, number: int) -> Value:
    if isinstance(value, str) and value:
        raise ValueError(f"line {number}: a list item behind a value")
    return (*value, item) if isinstance(value, tuple) else (item,)


def _value(text: str, number: int) -> Value:
    text = text.strip()
    if text[:1] in ("|", ">", "&", "*", "{"):
        raise ValueError(f"line {number}: only one-line values and lists are read")
    if not text.startswith("["):
        return _unquoted(text)
    if not text.endswith("]"):
        raise ValueError(f"line {number}: a list that is not closed with ]")
    return tuple(_unquoted(item.strip()) for item in text[1:-1].split(",") if item.strip())


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
