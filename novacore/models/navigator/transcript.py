"""What a conversation says: the user's question, what was called for it, and what came of that."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from novacore.types import Block, Message, Text, ToolResult, ToolUse

_FRAME = re.compile(r"\s*<([A-Za-z][\w-]*)(?:\s[^>]*)?>.*</\1(?:\s[^>]*)?>\s*\Z", re.DOTALL)
_OWN_ID = re.compile(r"nav_([a-z]+)_[0-9a-f]+_\d+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call and its result. ``stage`` is the navigator's own, empty for anyone else's call."""

    name: str
    input: Mapping[str, Any]
    text: str
    is_error: bool = False
    stage: str = ""

    @property
    def key(self) -> str:
        """Equal for calls that ask the same."""
        return key_of(self.name, self.input)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """``made`` is what was called since the question, ``earlier`` what was called before it."""

    question: str
    before: str
    made: tuple[Made, ...]
    earlier: tuple[Made, ...]

    @property
    def stages(self) -> frozenset[str]:
        """The stages that the work on this question has been through."""
        return frozenset(call.stage for call in self.made if call.stage)


def transcript_of(messages: Sequence[Message]) -> Transcript:
    """Take the messages of a request apart.

    The question is the last text of the user that is no frame; a text that joined while the agent
    worked is a question of its own.
    """
    blocks = [(m.role, block) for m in messages for block in m.blocks]
    asked = [i for i, (role, block) in enumerate(blocks) if role == "user" and _typed(block)]
    last = asked[-1] if asked else 0
    results = {b.tool_use_id: b for _, b in blocks if isinstance(b, ToolResult)}
    return Transcript(
        question=_text(blocks[last][1]) if asked else "",
        before=_text(blocks[asked[-2]][1]) if len(asked) > 1 else "",
        made=_calls([block for _, block in blocks[last:]], results),
        earlier=_calls([block for _, block in blocks[:last]], results),
    )


def call_ids(messages: Sequence[Message], stage: str, count: int) -> list[str]:
    """Ids that say the stage, the same for the same conversation and different for any other."""
    digest = hashlib.blake2b(repr(messages).encode("utf-8", "replace"), digest_size=6).hexdigest()
    return [f"nav_{stage}_{digest}_{number}" for number in range(count)]


def key_of(name: str, given: Mapping[str, Any]) -> str:
    """Equal for calls that ask the same."""
    return f"{name} {json.dumps(dict(given), sort_keys=True, default=str)}"


def _typed(block: Block) -> bool:
    return isinstance(block, Text) and bool(block.text.strip()) and not _FRAME.match(block.text)


def _text(block: Block) -> str:
    return block.text if isinstance(block, Text) else ""


def _calls(blocks: Sequence[Block], results: Mapping[str, ToolResult]) -> tuple[Made, ...]:
    return tuple(
        Made(
            name=use.name,
            input=use.input,
            text=results[use.id].text if use.id in results else "(no result)",
            is_error=use.id not in results or results[use.id].is_error,
            stage=own[1] if (own := _OWN_ID.match(use.id)) else "",
        )
        for use in blocks
        if isinstance(use, ToolUse)
    )
