"""Isolation: a provider refused a message by its number; a note replaces the likeliest block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from novacore.types import Block, Image, Message, Reasoning, Text, ToolResult, ToolUse

_NOTE = "[left out: the provider refused this block"


def isolate(
    messages: Sequence[Message], index: int, reason: str, *, block: int | None = None
) -> tuple[Message, ...] | None:
    """``messages`` with one block of message ``index`` replaced by a note that gives ``reason``.

    ``block`` is the block that the provider named; else the likeliest: an image, reasoning, a
    result, a call's input, a text. None when every block is a note already, or there is no such
    message: sending the same bytes again would be refused again.
    """
    if not 0 <= index < len(messages):
        return None
    message = messages[index]
    for place in likeliest(message.blocks, block):
        made = _noted(message.blocks[place], reason)
        if made != message.blocks[place]:
            blocks = (*message.blocks[:place], made, *message.blocks[place + 1 :])
            return (*messages[:index], replace(message, blocks=blocks), *messages[index + 1 :])
    return None


def likeliest(blocks: Sequence[Block], named: int | None = None) -> Iterator[int]:
    """Places of a refused message, the likeliest culprit first: the ``named`` one, then by kind."""
    if named is not None and 0 <= named < len(blocks):
        yield named
    yield from sorted(range(len(blocks)), key=lambda i: _suspicion(blocks[i]))


def _suspicion(block: Block) -> int:
    if isinstance(block, ToolResult):
        return 0 if block.images else 2
    order = (Image, Reasoning, ToolResult, ToolUse, Text)
    return next(i for i, kind in enumerate(order) if isinstance(block, kind))


def _noted(block: Block, reason: str) -> Block:
    """A note in place of ``block``; a pair stays a pair. What is a note already stays as it is."""
    note = f"{_NOTE} ({' '.join(reason.split())[:200]}); it is in the log]"
    match block:
        case ToolResult():
            return block if _is_note(block.text) else replace(block, text=note, images=())
        case ToolUse():
            return replace(block, input={}) if block.input else block
        case Text():
            return block if _is_note(block.text) else Text(text=note)
        case _:
            return Text(text=note)


def _is_note(text: str) -> bool:
    return text.startswith(_NOTE)
