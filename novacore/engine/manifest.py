"""The manifest: what a request holds, where each piece comes from, and what was left out.

Stored as increments (a request of an epoch adds rows to the one before), and put together again
for any request, so that "what did the model see at request 31" has an answer after files changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from novacore.engine import labels
from novacore.engine.assemble import ASSEMBLER_VERSION, Assembled
from novacore.engine.rows import Row, fragment
from novacore.engine.system import SYSTEM_TEXT
from novacore.host import Answer
from novacore.types import (
    JSON,
    Fragment,
    LeftOut,
    Reasoning,
    Region,
    Source,
    ToolResult,
    ToolSpec,
    ToolUse,
)

PREVIEW_CHARS = 120
_VALUE_CHARS = 60
_FRAME = re.compile(
    r"<(?:[a-z-]+ (?:mark|boundary|event|output)=[^<>\n]*|update|restatement|recovery)>\s*"
    r"(?:\[mem:[^\]\n]*\][^\n]*\n)?"
)

_FRAME_END = re.compile(r"\s*</[a-z-]+(?: mark=[^<>\n]*)?>\s*\Z")


def definitions(tools: Sequence[ToolSpec], tokens: Mapping[str, int]) -> tuple[Fragment, ...]:
    """Fragments for what stands before the messages: the tools, then the system text."""
    made = [
        fragment(
            labels.TOOL_DEFINITION,
            id=f"tool:{tool.name}",
            content=f"{tool.name}: {tool.description}",
            source=Source(uri=f"tool:{tool.name}"),
            reason="required" if tool.required else "offered in this epoch",
            tokens=tokens[tool.name],
        )
        for tool in tools
    ]
    system = fragment(
        labels.SYSTEM,
        id="system",
        content=SYSTEM_TEXT,
        source=Source(uri="novacore:system", version=ASSEMBLER_VERSION),
        reason="how the agent works",
        tokens=tokens["system"],
    )
    return (*made, system)


def definition_snapshots(tools: Sequence[ToolSpec]) -> list[JSON]:
    """What is kept of the same fragments: with it each can be sent again as it was."""
    made: list[JSON] = [
        {"text": f"{tool.name}: {tool.description}", "schema": dict(tool.schema)} for tool in tools
    ]
    return [*made, {"text": SYSTEM_TEXT}]


def snapshot(row: Row) -> JSON:
    """What is kept of a row: its text, and what else its block says, so that it can be shown again.

    Of reasoning only what may be shown: the rest is the provider's, and goes at the next boundary.
    """
    text = row.fragment.content
    match row.block:
        case ToolUse(id=id, name=name, input=arguments):
            return {"text": text, "tool_use": {"id": id, "name": name, "input": dict(arguments)}}
        case ToolResult(tool_use_id=id, is_error=is_error):
            return {"text": text, "tool_result": {"id": id, "is_error": is_error}}
        case Reasoning(data=data):
            return {"text": text, "reasoning": str(data.get("type", ""))}
        case _:
            return {"text": text}


def fragment_rows(
    before: Sequence[Fragment], rows: Iterable[Row], positions: Mapping[int, tuple[int, int]]
) -> list[dict[str, Any]]:
    """One JSON row for each fragment, in the order of the request."""
    made = [fragment_row(f, {"part": f.region.value}) for f in before]
    asked: dict[str, str] = {}
    for index, row in enumerate(rows):
        message, block = positions.get(index, (-1, -1))
        place = {"part": "messages", "message": message, "block": block}
        made.append({**fragment_row(row.fragment, place), "event": row.event})
        if isinstance(row.block, ToolUse):
            asked[row.block.id] = made[-1]["preview"] = call_words(row.block)
        elif isinstance(row.block, ToolResult) and row.block.tool_use_id in asked:
            made[-1]["call"] = asked[row.block.tool_use_id]
    return made


def call_words(call: ToolUse) -> str:
    """``read path=a.py, start_line=3``: a call on one line of at most ``PREVIEW_CHARS``."""
    words = (f"{name}={str(value)[:_VALUE_CHARS]}" for name, value in call.input.items())
    return _clipped(f"{call.name} {', '.join(words)}")


def fragment_row(piece: Fragment, position: Mapping[str, Any]) -> dict[str, Any]:
    """A fragment without its content, for the manifest."""
    return {
        "id": piece.id,
        "kind": piece.kind.value,
        "region": piece.region.value,
        "trust": piece.trust.value,
        "authority": piece.authority.value,
        "lifetime": piece.lifetime.value,
        "disposition": piece.disposition.value,
        "reason": piece.reason,
        "tokens": piece.tokens,
        "position": dict(position),
        "source": asdict(piece.source),
        "access": piece.access,
        "stale": False,
        "preview": preview_of(piece.content),
    }


def preview_of(text: str) -> str:
    """The start of a text on one line, without the tag and the citation that frame it."""
    framed = _FRAME.match(text)
    start = text[framed.end() if framed else 0 :][: PREVIEW_CHARS * 2]
    return _clipped(_FRAME_END.sub("", start) if framed else start)


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= PREVIEW_CHARS else f"{line[: PREVIEW_CHARS - 1]}…"


def plugin_row(answer: Answer) -> dict[str, Any]:
    """What a plugin made of a hook; ``time`` tells one fault from another of the same words."""
    fault = answer.fault
    return {
        "plugin": answer.plugin,
        "hook": answer.hook,
        "ms": round(answer.ms, 1),
        "ok": fault is None,
        "answered": answer.value is not None,
        "fault": f"{fault.reason}: {fault.detail}" if fault else "",
        "time": fault.time if fault else "",
        "instead_of": list(answer.instead_of),
    }


def positions_of(rows: Sequence[Row]) -> dict[int, tuple[int, int]]:
    """Where each row stands: (message, block), both 0-based."""
    places: dict[int, tuple[int, int]] = {}
    message, block, role = -1, 0, ""
    for index, row in enumerate(rows):
        if row.role != role:
            message, block, role = message + 1, 0, row.role
        places[index] = (message, block)
        block += 1
    return places


def regions(fragments: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tokens by region, in the order of a request; empty regions are left away."""
    sums = dict.fromkeys((region.value for region in Region), 0)
    for piece in fragments:
        sums[piece["region"]] += piece["tokens"]
    return [{"region": name, "tokens": tokens} for name, tokens in sums.items() if tokens]


def left_out_rows(items: Iterable[LeftOut]) -> list[dict[str, Any]]:
    """What did not enter, as JSON."""
    return [asdict(item) for item in items]


def changed_section(before: Assembled | None, now: Assembled) -> str | None:
    """The first part of the request that is not a continuation of the one before; None: it is."""
    if before is None:
        return None
    for name in ("model", "tools", "system"):
        if getattr(before.request, name) != getattr(now.request, name):
            return name
    for index, row in enumerate(before.rows):
        if index >= len(now.rows) or now.rows[index].block != row.block:
            return f"{row.fragment.region.value}: {row.fragment.id}"
    return None
