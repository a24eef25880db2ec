"""The ``glob`` tool: files by pattern."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from novacore.tools.repeats import answer
from novacore.tools.trees import tree
from novacore.types import Status, ToolCall, ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext

DEFAULT_LIMIT = 200
MAX_LIMIT = 1_000
_OTHER = "a wider pattern (**/*name*), another folder, or search for what the file holds"

SPEC = ToolSpec(
    name="glob",
    description="List files by pattern (*.py, src/**/test_*), without ignored ones.",
    schema={
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1},
            "path": {"type": "string", "description": "folder"},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)


class GlobTool:
    """Looks below the roots only, so it never asks."""

    spec = SPEC

    def question(self, call: ToolCall, context: ToolContext) -> None:
        """Nothing to ask."""

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """List on another thread."""
        return await asyncio.to_thread(_glob, call, context)


def _glob(call: ToolCall, context: ToolContext) -> ToolOutcome:
    pattern, limit = call.input["pattern"], int(call.input.get("limit", DEFAULT_LIMIT))
    files = tree(call.input.get("path", ""), pattern, context)
    if isinstance(files, ToolOutcome):
        return files
    total = len(files.files)
    status: Status = "ok" if total else "not_found"
    head = f"{total:,} files" if total else f"no file in {files.scope} matches {pattern}"
    if total > limit or files.cut:
        status = "too_many"
        head = f"the first {min(limit, total):,} of {total:,} files; narrow the pattern or the path"
    lines = [f"{head}; {files.cut}" if files.cut else head]
    lines += [file.path for file in files.files[:limit]]
    return answer(call, context, lines, status=status, scope=files.scope, other=_OTHER)
