"""Single blocks: strings that can be encoded, images within limits, names that every wire takes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from novacore.types import Block, Image, Message, Reasoning, Text, ToolResult, ToolUse

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageLimits:
    """What the wire takes. Source: Anthropic's limits for requests with many images."""

    pixels: int = 2_000
    """The longer side; 0 by 0 is an unknown size and passes."""
    data_chars: int = 5 * 1024 * 1024
    """Characters of base64."""
    media_types: tuple[str, ...] = ("image/png", "image/jpeg", "image/gif", "image/webp")


Note = Callable[[str], None]
Keep = Callable[[Reasoning], bool]


Sound = dict[int, Block]
"""Blocks that need no repair, by identity, where they stand in an answer or in the user's words."""


def clean_message(
    message: Message, limits: ImageLimits, keep: Keep, note: Note, sound: Sound
) -> Message | None:
    """The message without what no wire takes, or None. ``note`` hears of each repair.

    Blocks of ``sound`` are not looked at again; those that are found to be, join it.
    """
    if message.blocks and all(id(block) in sound for block in message.blocks):
        return message
    blocks = tuple(
        made for block in message.blocks for made in _clean(block, message.role, limits, keep, note)
    )
    if blocks == message.blocks:
        sound.update((id(block), block) for block in message.blocks)
        return message if blocks else None
    return replace(message, blocks=blocks) if blocks else None


def portable_name(name: str) -> str:
    """A tool name of at most 64 of ``A-Z a-z 0-9 _ -``; equal names give equal names."""
    if _NAME.match(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_-]', '_', name)[:55]}_{digest}"


def text_of_image(image: Image, reason: str) -> str:
    """What stands for an image that is not sent."""
    size = f" {image.width}x{image.height}" if image.width or image.height else ""
    return f"[image{size} {printable(image.media_type)} left out: {reason}]"


def printable(text: str) -> str:
    """``text`` with lone surrogates replaced."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _clean(block: Block, role: str, limits: ImageLimits, keep: Keep, note: Note) -> Iterator[Block]:
    match block:
        case Text():
            yield from _text(block, note)
        case Image():
            yield _image(block, role, limits, note)
        case ToolUse():
            yield from _tool_use(block, role, note)
        case ToolResult():
            yield from _tool_result(block, role, limits, note)
        case Reasoning():
            yield from _reasoning(block, role, keep, note)


def _text(block: Text, note: Note) -> Iterator[Block]:
    text = printable(block.text)
    if not text.strip():
        note("an empty text block was left out")
        return
    if text != block.text:
        note("lone surrogates were replaced")
    yield block if text == block.text else Text(text=text)


def _image(block: Image, role: str, limits: ImageLimits, note: Note) -> Block:
    reason = _refused(block, limits) or ("images come from the user" if role != "user" else "")
    if not reason:
        return block
    note(f"an image was replaced by a reference: {reason}")
    return Text(text=text_of_image(block, reason))


def _refused(image: Image, limits: ImageLimits) -> str:
    if not image.data or _SURROGATE.search(image.data):
        return "it holds no data"
    if image.media_type not in limits.media_types:
        return "its format is not supported"
    if max(image.width, image.height) > limits.pixels:
        return f"a side is over {limits.pixels:,} pixels"
    if len(image.data) > limits.data_chars:
        return f"it is over {limits.data_chars:,} characters"
    return ""


def _tool_use(block: ToolUse, role: str, note: Note) -> Iterator[Block]:
    if role != "assistant":
        note(f"a call outside an answer was left out: {printable(block.id)[:64]}")
        return
    id = printable(block.id) or "call"
    made = ToolUse(id=id, name=portable_name(block.name), input=_printable_json(block.input))
    if made == block:
        yield block
        return
    note(f"the call {id[:64]} was made portable")
    yield made


def _tool_result(block: ToolResult, role: str, limits: ImageLimits, note: Note) -> Iterator[Block]:
    if role != "user":
        note(f"a result inside an answer was left out: {printable(block.tool_use_id)[:64]}")
        return
    refused = [(image, _refused(image, limits)) for image in block.images]
    lines = [text_of_image(image, why) for image, why in refused if why]
    made = ToolResult(
        tool_use_id=printable(block.tool_use_id) or "call",
        text="\n".join([*([text] if (text := printable(block.text)) else []), *lines]),
        is_error=block.is_error,
        images=tuple(image for image, why in refused if not why),
    )
    if made == block:
        yield block
        return
    note(f"the result of {made.tool_use_id[:64]} was made portable")
    yield made


def _reasoning(block: Reasoning, role: str, keep: Keep, note: Note) -> Iterator[Block]:
    unsigned = block.data.get("type") == "thinking" and not block.data.get("signature")
    if role == "assistant" and not unsigned and keep(block) and _encodable(block.data):
        yield block
        return
    note("a reasoning block of another model or loop was left out")


def _encodable(value: Any) -> bool:
    return bool(value == _printable_json(value))


def _printable_json(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    # Asking an abstract class is slow, and what comes from JSON is a dict.
    if isinstance(value, dict | Mapping):
        return {printable(str(key)): _printable_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable_json(item) for item in value]
    return value
