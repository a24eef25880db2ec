"""The ``search`` tool: text in files and artifacts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from novacore.code.places import offset_of_line
from novacore.code.search import search
from novacore.code.text import decode
from novacore.code.walk import WalkedFile, read_file
from novacore.tools.artifact_reads import PREFIX, search_artifact
from novacore.tools.repeats import answer
from novacore.tools.trees import tree
from novacore.tools.whole_secrets import masked_line
from novacore.types import Hit, Hits, ToolCall, ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_CONTEXT = 10
_OTHER = "other words, ignore_case, a wider path or glob, find for a symbol, or history"

SPEC = ToolSpec(
    name="search",
    description="Search text by regular expression, by line. path: file, folder or artifact:<id>.",
    schema={
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1},
            "path": {"type": "string"},
            "glob": {"type": "string", "description": "e.g. *.py or src/**/*.ts"},
            "regex": {"type": "boolean", "description": "default true"},
            "ignore_case": {"type": "boolean"},
            "context": {"type": "integer", "minimum": 0, "maximum": MAX_CONTEXT},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
    required=True,
)


class SearchTool:
    """Looks below the roots only, so it never asks."""

    spec = SPEC

    def question(self, call: ToolCall, context: ToolContext) -> None:
        """Nothing to ask."""

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Search on another thread."""
        return await asyncio.to_thread(_search, call, context)


def _search(call: ToolCall, context: ToolContext) -> ToolOutcome:
    given = call.input
    path, limit = given.get("path", ""), int(given.get("limit", DEFAULT_LIMIT))
    regex, ignore_case = bool(given.get("regex", True)), bool(given.get("ignore_case", False))
    if path.startswith(PREFIX):
        return search_artifact(
            path.removeprefix(PREFIX), given["pattern"], regex=regex, ignore_case=ignore_case,
            limit=limit, context=context,
        )  # fmt: skip
    files = tree(path, given.get("glob", ""), context)
    if isinstance(files, ToolOutcome):
        return files
    around = int(given.get("context", 0))
    found = search(
        context.policy.roots[0], given["pattern"], files=files.files, regex=regex,
        ignore_case=ignore_case, context=around, limit=limit, outside=context.policy.roots,
    )  # fmt: skip
    if found.status == "failed":
        return ToolOutcome(text=found.reason, status="failed", is_error=True)
    hits = tuple(_masked(found.hits, files.files, context))
    lines = _lines(replace(found, hits=hits), around, files.cut)
    return answer(call, context, lines, status=found.status, scope=files.scope, other=_OTHER)


def _masked(
    hits: Sequence[Hit], files: Sequence[WalkedFile], context: ToolContext
) -> Iterator[Hit]:
    """Each hit is looked at with what is around it: a line of a key does not look like one."""
    by_path = {file.path: file for file in files}
    for path, group in groupby(hits, key=lambda hit: hit.path):
        text = decode(read_file(by_path[path]) or b"").text
        for hit in group:
            offset = offset_of_line(text, hit.line) + hit.column
            yield replace(hit, text=masked_line(text, offset, hit.text, context.masker))


def _lines(found: Hits, around: int, cut: str) -> list[str]:
    """Grouped by file; ``:`` after the number of a line that matches, ``-`` after one around it."""
    files = f"{found.files} file{'' if found.files == 1 else 's'}"
    head = f"{len(found.hits)} of {found.total} lines in {files}" if found.total else ""
    lines = ["; ".join(note for note in (head, found.reason, cut) if note)]
    for path, hits in groupby(found.hits, key=lambda hit: hit.path):
        lines += [path, *_of_file(hits, around)]
    return lines


def _of_file(hits: Iterable[Hit], around: int) -> Iterator[str]:
    """Each line once, however many hits it stands around; ``--`` where lines are left out."""
    shown: dict[int, str] = {}
    for hit in hits:
        for number, text in enumerate(hit.text.split("\n"), max(1, hit.line - around)):
            if number == hit.line or number not in shown:
                shown[number] = f"  {number}{':' if number == hit.line else '-'} {text}"
    last = 0
    for number in sorted(shown):
        if around and last and number > last + 1:
            yield "  --"
        last = number
        yield shown[number]
