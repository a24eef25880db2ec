"""The words of an event: what a model is shown of it, and everything that it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from novacore.types import Event

SHOWN = frozenset(("user", "assistant", "tool_result", "update", "recall"))
"""Kinds that put something into a window; the others are the runtime's own notes."""


def shown_text(event: Event) -> str:
    """An event's text as a kept event shows it: its ``text``, or the blocks of an answer."""
    if event.kind != "assistant":
        return str(event.data.get("text", ""))
    lines = []
    for block in event.data.get("blocks", ()):
        if block.get("type") == "text":
            lines.append(str(block.get("text", "")))
        else:
            lines.append(f"[called {block.get('name')}: {all_words(block.get('input'))}]")
    return "\n".join(lines)


def all_words(value: object) -> str:
    """Every string and number in a JSON value, in order, one a line."""
    return "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
    elif value is not None:
        yield str(value)
