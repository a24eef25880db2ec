r"""The grammar of a state's text: sections of items, whose words stand as they were said.

    <state>
    ## constraints
    - [id=rule-1 event=0193...] Never push to main.
    ## commands
    - [exit=1 event=0194...] pytest -q
      | error: E   assert 1 == 2
    </state>

A text may run over several lines. Lines of it that look like grammar get a backslash in front, and
so do closing tags of the frame, so that no text can end its item, its section or the frame; reading
takes them off again. Nothing else about a text changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

OPEN, CLOSE = "<state>", "</state>"

Attribute = tuple[str, str]

_SPECIAL_LINE = re.compile(r"^(\\*)(- \[|## |  \| |<state>)", re.M)
_ESCAPED_LINE = re.compile(r"^\\(\\*(?:- \[|## |  \| |<state>))", re.M)
_CLOSING = re.compile(r"<(\\*)/(state|passage|derived-context|restatement|kept)\b")
_ESCAPED_CLOSING = re.compile(r"<\\(\\*/(?:state|passage|derived-context|restatement|kept)\b)")
_PLAIN_VALUE = re.compile(r"[\w.:/@+-]+\Z")
_ITEM = re.compile(r'- \[((?:[^"\]\n]|"(?:[^"\\\n]|\\.)*")*)\] (.*)\Z', re.S)
_ATTRIBUTE = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|[^\s"]+)')
_FIELD = re.compile(r"  \| (\w+): (.*)\Z", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a section: attributes (a key may repeat), words, and further fields of text."""

    attributes: tuple[Attribute, ...] = ()
    text: str = ""
    fields: tuple[Attribute, ...] = ()

    def get(self, key: str, default: str = "") -> str:
        """The first attribute or field of that name."""
        return next((v for k, v in (*self.attributes, *self.fields) if k == key), default)

    def all(self, key: str) -> tuple[str, ...]:
        """Every attribute or field of that name, in order."""
        return tuple(v for k, v in (*self.attributes, *self.fields) if k == key)


def item(text: str, *attributes: Attribute, fields: Iterable[Attribute] = ()) -> Item:
    """An item without its empty attributes and fields."""
    return Item(
        attributes=tuple((k, v) for k, v in attributes if v),
        text=text,
        fields=tuple((k, v) for k, v in fields if v),
    )


def write(sections: Iterable[tuple[str, Iterable[Item]]]) -> str:
    """The text of these sections; empty ones are left out."""
    lines = [OPEN]
    for name, items in sections:
        written = [_write_item(entry) for entry in items]
        if written:
            lines += [f"## {name}", *written]
    return "\n".join([*lines, CLOSE])


def read(text: str) -> Iterator[tuple[str, Item]]:
    """Each item with the name of its section. Raises ValueError when ``text`` holds no state."""
    start = 0 if text.startswith(OPEN + "\n") else text.find("\n" + OPEN + "\n") + 1
    end = text.find("\n" + CLOSE, start)
    if not text.startswith(OPEN, start) or end < 0:
        raise ValueError("no <state> in the text")
    section = ""
    for chunk in _chunks(text[start + len(OPEN) : end].split("\n")[1:]):
        if chunk.startswith("## "):
            section = chunk[3:]
        else:
            yield section, _read_item(chunk)


def escape(text: str) -> str:
    """``text`` so that it can stand in a state or in its frame; ``unescape`` is the inverse."""
    text = _CLOSING.sub(r"<\1\\/\2", text)
    return _SPECIAL_LINE.sub(r"\\\1\2", text)


def unescape(text: str) -> str:
    """The text that ``escape`` was given."""
    return _ESCAPED_CLOSING.sub(r"<\1", _ESCAPED_LINE.sub(r"\1", text))


def _write_item(entry: Item) -> str:
    head = " ".join(f"{key}={_value(value)}" for key, value in entry.attributes)
    lines = [f"- [{head}] {escape(entry.text)}"]
    lines += [f"  | {key}: {escape(value)}" for key, value in entry.fields]
    return "\n".join(lines)


def _value(value: str) -> str:
    return value if _PLAIN_VALUE.match(value) else json.dumps(value)


def _chunks(lines: list[str]) -> Iterator[str]:
    """Lines grouped so that each group begins with a section or an item."""
    group: list[str] = []
    for line in lines:
        if line.startswith(("## ", "- [")) and group:
            yield "\n".join(group)
            group = []
        group.append(line)
    if group:
        yield "\n".join(group)


def _read_item(chunk: str) -> Item:
    text, *fields = re.split(r"\n(?=  \| \w+: )", chunk)
    found = _ITEM.match(text)
    if found is None:
        raise ValueError(f"not an item of a state: {text[:80]!r}")
    return Item(
        attributes=tuple(
            (k, json.loads(v) if v.startswith('"') else v) for k, v in _ATTRIBUTE.findall(found[1])
        ),
        text=unescape(found[2]),
        fields=tuple((m[1], unescape(m[2])) for m in map(_FIELD.match, fields) if m),
    )
