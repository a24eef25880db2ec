"""Reasoning blocks are bound to their model and to everything before them."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable
from typing import Any

from fakellm.errors import invalid
from fakellm.prompt import Placed, placed_blocks, unmarked

Body = dict[str, Any]

_KEY = b"fakellm/anthropic"
REASONING = ("thinking", "redacted_thinking")


class Prefix:
    """A running hash over blocks. Marks and key order do not count; roles and texts do."""

    def __init__(self, model: str) -> None:
        self._digest = hmac.new(_KEY, model.encode(), hashlib.sha256)

    def add(self, placed: Placed) -> None:
        """Take in the next block."""
        text = json.dumps([placed.role, unmarked(placed.block)], sort_keys=True)
        self._digest.update(text.encode())

    def sign(self, reasoning: str) -> str:
        """The signature of a reasoning text that stands right after this prefix."""
        own = self._digest.copy()
        own.update(reasoning.encode())
        return own.hexdigest()


def prefix_of(body: Body) -> Prefix:
    """The prefix of a reply to ``body``."""
    prefix = Prefix(str(body["model"]))
    for placed in placed_blocks(body):
        prefix.add(placed)
    return prefix


def sign_reply(body: Body, content: Iterable[Body]) -> list[Body]:
    """The reply's blocks with every reasoning block signed for its place."""
    prefix = prefix_of(body)
    signed = []
    for block in content:
        done = _signed(block, prefix)
        prefix.add(Placed("reply", "assistant", done))
        signed.append(done)
    return signed


def check_reasoning(body: Body) -> None:
    """Refuse a reasoning block that came from another model, or whose prefix changed."""
    prefix = Prefix(str(body["model"]))
    for placed in placed_blocks(body):
        block = placed.block
        if block.get("type") in REASONING and not _genuine(block, prefix):
            kind = block["type"]
            field = "signature" if kind == "thinking" else "data"
            raise invalid(f"{placed.place}: Invalid `{field}` in `{kind}` block")
        prefix.add(placed)


def _signed(block: Body, prefix: Prefix) -> Body:
    if block["type"] == "thinking":
        return {**block, "signature": prefix.sign(block["thinking"])}
    if block["type"] == "redacted_thinking":
        text = str(block["data"])
        return {**block, "data": f"{text.encode().hex()}.{prefix.sign(text)}"}
    return block


def _genuine(block: Body, prefix: Prefix) -> bool:
    if block["type"] == "thinking":
        return hmac.compare_digest(block.get("signature") or "", prefix.sign(block["thinking"]))
    hidden, _, signature = str(block.get("data", "")).partition(".")
    try:
        text = bytes.fromhex(hidden).decode()
    except ValueError:
        return False
    return hmac.compare_digest(signature, prefix.sign(text))
