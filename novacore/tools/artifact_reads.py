"""Reading and searching what was moved out of the window. Answers stay small: they never spill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacore.code.cuts import MAX_CHARS
from novacore.errors import ArtifactNotFound, UsageError
from novacore.tools import outcomes
from novacore.types import Source, Status, ToolOutcome

if TYPE_CHECKING:
    from novacore.code.reads import Target
    from novacore.store.parts import Part
    from novacore.tools.context import ToolContext

PREFIX = "artifact:"
_END = 2**62


def read_artifact(id: str, target: Target, context: ToolContext) -> ToolOutcome:
    """Lines, bytes, or from the start as much as fits; always says how to go on."""
    if target.symbol or target.outline:
        return outcomes.failed("An artifact has no symbols; read its lines or bytes, or search it.")
    try:
        part = _part(id, target, context)
    except ArtifactNotFound as error:
        return ToolOutcome(text=f"{error}.", status="not_found", is_error=True)
    where = f"bytes {part.start_byte}-{part.end_byte} of {part.total_bytes}"
    if part.start_line:
        where = f"lines {part.start_line}-{part.end_line}; {where}"
    if part.end_byte < part.total_bytes:
        where += f"; go on with start_byte={part.end_byte}"
    source = Source(
        uri=f"{PREFIX}{id}",
        start_line=part.start_line or None,
        end_line=part.end_line or None,
    )
    text = context.masker.mask(part.text).text
    return ToolOutcome(text=f"{PREFIX}{id} {where}\n{text}", source=source, read_back=True)


def search_artifact(
    id: str, pattern: str, *, regex: bool, ignore_case: bool, limit: int, context: ToolContext
) -> ToolOutcome:
    """Lines that match, with their numbers."""
    import regex as engine

    wanted = ("(?i)" if ignore_case else "") + (pattern if regex else engine.escape(pattern))
    try:
        hits = context.artifacts.search(id, wanted, limit=limit + 1)
    except ArtifactNotFound as error:
        return ToolOutcome(text=f"{error}.", status="not_found", is_error=True)
    except UsageError as error:
        return outcomes.failed(str(error))
    if not hits:
        return ToolOutcome(text=f"No line of {PREFIX}{id} matches.", status="not_found")
    lines = [f"{hit.line}: {hit.text}" for hit in hits[:limit]]
    many = len(hits) > limit
    head = f"{PREFIX}{id}: {'the first ' if many else ''}{len(lines)} places that match"
    text = context.masker.mask("\n".join([head, *lines])[:MAX_CHARS]).text
    status: Status = "too_many" if many else "ok"
    return ToolOutcome(text=text, status=status, source=Source(uri=f"{PREFIX}{id}"), read_back=True)


def _part(id: str, target: Target, context: ToolContext) -> Part:
    if target.start_byte >= 0 or target.end_byte >= 0:
        end = target.end_byte if target.end_byte >= 0 else _END
        return context.artifacts.read_bytes(id, max(target.start_byte, 0), end, max_chars=MAX_CHARS)
    first, last = max(target.start_line, 1), target.end_line or _END
    return context.artifacts.read_lines(id, first, last, max_chars=MAX_CHARS)
