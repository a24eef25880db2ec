"""Assembly: rows become one request. Turn, resume, compaction and replay all come this way."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from novacore.engine.marks import newest_place, place_marks
from novacore.engine.normalise import Sound, normalise
from novacore.engine.rows import Row
from novacore.engine.system import SYSTEM_TEXT
from novacore.engine.view import messages_of
from novacore.types import Mark, ModelRequest, Reasoning, Text, ToolSpec

ASSEMBLER_VERSION = "1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A request, the rows that it was made from, and what had to be repaired."""

    request: ModelRequest
    rows: tuple[Row, ...]
    repairs: tuple[str, ...]
    newest_mark: Mark | None


def assemble(
    rows: Sequence[Row],
    *,
    model: str,
    tools: Sequence[ToolSpec],
    max_tokens: int,
    previous_mark: Mark | None,
    reasons: Mapping[str, str],
    keep_reasoning: Callable[[Reasoning], bool] = lambda block: True,
    sound: Sound | None = None,
) -> Assembled:
    """Build the request that these rows stand for, checked against the wire rules.

    ``reasons`` says why a call has no result, by call id. ``previous_mark`` is the newest mark of
    the request before, in this epoch; ``sound`` as in ``normalise``, for one epoch.
    """
    messages, repairs = normalise(
        messages_of(rows), reasons=reasons, keep_reasoning=keep_reasoning, sound=sound
    )
    head = sum(1 for row in rows if row.head)
    marks = place_marks(messages, head_blocks=head, previous=previous_mark)
    request = ModelRequest(
        model=model,
        system=(Text(text=SYSTEM_TEXT),),
        tools=tuple(tools),
        messages=messages,
        max_tokens=max_tokens,
        marks=marks,
    )
    return Assembled(
        request=request,
        rows=tuple(rows),
        repairs=repairs,
        newest_mark=newest_place(messages),
    )


def seed_of(model: str, tools: Sequence[ToolSpec]) -> str:
    """Hash of what stands before the messages: model, tools and system text."""
    plain = [model, SYSTEM_TEXT, [[t.name, t.description, dict(t.schema)] for t in tools]]
    return hashlib.sha256(json.dumps(plain, ensure_ascii=True).encode()).hexdigest()
