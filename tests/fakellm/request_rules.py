"""What the Messages API rejects in a request's fields, headers, tools and texts.

Error texts are those the API is known to send (sources: README.md); match them by type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fakellm import image_rules, pairing_rules
from fakellm.errors import bad_key, invalid
from fakellm.prompt import blocks_of

Body = dict[str, Any]

KNOWN_FIELDS = {
    "model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "metadata",
    "stop_sequences", "thinking", "output_config", "cache_control", "service_tier", "container",
    "diagnostics", "inference_geo", "speed", "temperature", "top_p", "top_k",
}  # fmt: skip
# The API admits 128 characters; other providers that a session may move to admit 64.
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check_headers(headers: Mapping[str, str], keys: frozenset[str] | None) -> None:
    """A version, and a key: any at all, or one of ``keys``."""
    given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    if not given or (keys is not None and given not in keys):
        raise bad_key()
    if not headers.get("anthropic-version"):
        raise invalid("anthropic-version: header is required")


def check_body(body: Body, *, needs_max_tokens: bool = True) -> None:
    """Raise the error that the real API would send for this body, or return."""
    for name in ("model", "messages", *(["max_tokens"] if needs_max_tokens else [])):
        if name not in body:
            raise invalid(f"{name}: Field required")
    for name in body:
        if name not in KNOWN_FIELDS:
            raise invalid(f"{name}: Extra inputs are not permitted")
    _check_encodable(body)
    _check_tools(body.get("tools") or [])
    _check_texts(blocks_of(body.get("system")), "system")
    _check_messages(body["messages"])
    pairing_rules.check_pairs(body["messages"])
    image_rules.check_images(body["messages"])
    if body["messages"][-1]["role"] == "assistant":
        raise invalid(
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        )


def _check_encodable(body: Body) -> None:
    for text in _strings(body):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise invalid(
                "The request body is not valid JSON: no low surrogate in string"
            ) from None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(key)
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _check_tools(tools: list[Body]) -> None:
    for i, tool in enumerate(tools):
        if not TOOL_NAME.fullmatch(tool.get("name", "")):
            raise invalid(f"tools.{i}.custom.name: String should match '^[a-zA-Z0-9_-]{{1,64}}$'")
        if "input_schema" not in tool:
            raise invalid(f"tools.{i}.custom.input_schema: Field required")
    if len({t["name"] for t in tools}) != len(tools):
        raise invalid("tools: Tool names must be unique.")


def _check_messages(messages: list[Body]) -> None:
    if not messages:
        raise invalid("messages: at least one message is required")
    for i, message in enumerate(messages):
        role = message.get("role")
        if role not in ("user", "assistant"):
            raise invalid(f"messages.{i}.role: Input should be 'user' or 'assistant'")
        if i and messages[i - 1]["role"] == role:
            raise invalid(f'messages.{i}: roles must alternate, found multiple "{role}" in a row')
        if not (blocks := blocks_of(message.get("content"))):
            raise invalid(f"messages.{i}: {role} messages must have non-empty content")
        _check_texts(blocks, f"messages.{i}")
    if messages[0]["role"] != "user":
        raise invalid("messages.0: first message must use the user role")


def _check_texts(blocks: list[Body], where: str) -> None:
    for j, block in enumerate(blocks):
        place = f"{where}.{j}" if where == "system" else f"{where}.content.{j}"
        if block.get("type") == "text" and not block.get("text", "").strip():
            raise invalid(f"{place}: text content blocks must contain non-whitespace text")
        if block.get("type") == "thinking" and not block.get("signature"):
            raise invalid(f"{place}.thinking.signature: Field required")
        if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            _check_texts(block["content"], place)
