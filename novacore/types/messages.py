"""Messages in the neutral form that every provider's request is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = dict[str, Any]
"""A JSON object, as it stands in the log or on the wire."""

INVALID_JSON = "__invalid_json__"
"""Only key of a ``ToolUse.input`` that was no JSON object; its value is the text as it came.

The dispatcher refuses such a call and says so, instead of the provider failing the turn.
"""

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text block."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image block: base64 data and its media type, or nothing but a reference."""

    media_type: str
    data: str
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """The model's call of a tool. ``id`` is the provider's, unchanged."""

    id: str
    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The answer to the ``ToolUse`` of the same id."""

    tool_use_id: str
    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """A provider's reasoning block, kept opaque: ``data`` goes back exactly as it came."""

    data: Mapping[str, Any]


Block = Text | Image | ToolUse | ToolResult | Reasoning


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a request."""

    role: Role
    blocks: tuple[Block, ...]
