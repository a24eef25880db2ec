"""The ``history`` tool: what was said and done before, in this session and past ones."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from novacore.services import Remembered
from novacore.tools.repeats import answer
from novacore.types import Source, Status, ToolCall, ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext

DEFAULT_LIMIT = 8
MAX_LIMIT = 50
_EXCERPT_CHARS = 600
_OTHER = "other words, fewer of them, or search for what the code says"

SPEC = ToolSpec(
    name="history",
    description=(
        "Search past sessions and memory of this repository by words (query), or open an event, or"
        " a range of events (first..last), of this or a past session (event, session)."
    ),
    schema={
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "session": {"type": "string"},
            "event": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
            "memory_only": {"type": "boolean"},
        },
        "additionalProperties": False,
    },
)


class HistoryTool:
    """Reads what this principal may see; it never asks."""

    spec = SPEC

    def question(self, call: ToolCall, context: ToolContext) -> None:
        """Nothing to ask."""

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Search, or open an event."""
        if call.input.get("event"):
            return await _opened(call, context)
        if not call.input.get("query", "").strip():
            return _error("Give words to search for (query), or an event to open.", "failed")
        return await _searched(call, context)


async def _opened(call: ToolCall, context: ToolContext) -> ToolOutcome:
    session, event = call.input.get("session", ""), call.input["event"].removeprefix("event:")
    text = await asyncio.to_thread(context.open_event, session, event)
    if text is None:
        where = f"session {session}" if session else "this session"
        return _error(f"No event {event!r} in {where}; search for it with query.", "not_found")
    return ToolOutcome(text=text, source=Source(uri=f"event:{event}"))


async def _searched(call: ToolCall, context: ToolContext) -> ToolOutcome:
    query, session = call.input["query"], call.input.get("session", "")
    limit = call.input.get("limit", DEFAULT_LIMIT)
    found = await asyncio.to_thread(
        context.past.search,
        query,
        limit=MAX_LIMIT if session else limit,
        memory_only=bool(call.input.get("memory_only")),
    )
    kept = [hit for hit in found if not session or session in hit.uri][:limit]
    lines = [line for hit in kept for line in (*_shown(hit).split("\n"), "")][:-1]
    if not kept:
        lines = [
            f"Nothing found for {query!r}. That the words do not occur is all it says:"
            " try other words, or fewer."
        ]
    status: Status = "ok" if kept else "not_found"
    scope = f"session {session}" if session else "past sessions and memory"
    return answer(call, context, lines, status=status, scope=scope, other=_OTHER)


def _shown(hit: Remembered) -> str:
    text = hit.text if len(hit.text) <= _EXCERPT_CHARS else f"{hit.text[:_EXCERPT_CHARS]}..."
    head = " ".join(part for part in (hit.uri or hit.key, hit.kind, hit.time) if part)
    return f"[{head}]\n{text}"


def _error(text: str, status: Status) -> ToolOutcome:
    return ToolOutcome(text=text, status=status, is_error=status == "failed")
