"""Images must hold data, and stay within 2,000 pixels a side where there are many of them."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator
from typing import Any

from fakellm.errors import invalid
from fakellm.prompt import blocks_of

Body = dict[str, Any]

MAX_PIXELS = 2000
PNG = b"\x89PNG\r\n\x1a\n"


def check_images(messages: list[Body]) -> None:
    """Raise for an image that is empty, no base64, or a PNG larger than allowed."""
    for place, block in _images(messages):
        data = block.get("source", {}).get("data")
        if data is None:
            continue
        try:
            head = base64.b64decode(data[:64], validate=True)
        except (binascii.Error, ValueError):
            raise invalid(f"{place}.image.source.base64.data: invalid base64 data") from None
        if not head:
            raise invalid(f"{place}.image.source.base64: image cannot be empty")
        if max(_png_size(head)) > MAX_PIXELS:
            raise invalid(
                f"{place}.image.source.base64.data: At least one of the image dimensions exceed "
                f"max allowed size for many-image requests: {MAX_PIXELS} pixels"
            )


def _images(messages: list[Body]) -> Iterator[tuple[str, Body]]:
    for i, message in enumerate(messages):
        for j, block in enumerate(blocks_of(message.get("content"))):
            inner = blocks_of(block.get("content")) if block.get("type") == "tool_result" else []
            for image in (block, *inner):
                if image.get("type") == "image":
                    yield f"messages.{i}.content.{j}", image


def _png_size(head: bytes) -> tuple[int, int]:
    """Width and height in pixels, or zeros for another format."""
    if not head.startswith(PNG) or len(head) < 24:
        return 0, 0
    width, height = struct.unpack(">II", head[16:24])
    return width, height
