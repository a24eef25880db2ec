"""The ``find`` tool: symbols by name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from novacore.code.find import find
from novacore.tools.repeats import answer
from novacore.tools.trees import tree
from novacore.types import Hit, Hits, ToolCall, ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
_OTHER = "a shorter name, its parent's name, search for its text, or another folder"

SPEC = ToolSpec(
    name="find",
    description="Find symbols by name or name path (parse, Parser/run); nearest names if none.",
    schema={
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "path": {"type": "string", "description": "file or folder"},
            "kind": {"type": "string", "description": "class, function, method, ..."},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)


class FindTool:
    """Looks below the roots only, so it never asks."""

    spec = SPEC

    def question(self, call: ToolCall, context: ToolContext) -> None:
        """Nothing to ask."""

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Search on another thread."""
        return await asyncio.to_thread(_find, call, context)


def _find(call: ToolCall, context: ToolContext) -> ToolOutcome:
    given = call.input
    files = tree(given.get("path", ""), "", context)
    if isinstance(files, ToolOutcome):
        return files
    limit = int(given.get("limit", DEFAULT_LIMIT))
    found = find(given["name"], files.files, kind=given.get("kind", ""), limit=limit)
    if found.status == "failed":
        return ToolOutcome(text=found.reason, status="failed", is_error=True)
    notes = [note for note in (_head(found), found.reason, files.cut) if note]
    lines = ["; ".join(notes), *map(_line, found.hits)]
    return answer(call, context, lines, status=found.status, scope=files.scope, other=_OTHER)


def _head(found: Hits) -> str:
    return f"{len(found.hits)} of {found.total} symbols" if found.total else ""


def _line(hit: Hit) -> str:
    return f"{hit.path}::{hit.name_path} lines {hit.line}-{hit.end_line} {hit.kind} | {hit.text}"
