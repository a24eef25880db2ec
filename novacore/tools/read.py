"""The ``read`` tool: a symbol, lines, bytes, an outline, a whole small file; artifacts too."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from novacore.code.ignores import ignored
from novacore.code.reads import Target, read
from novacore.code.text import AS_IS
from novacore.tools import outcomes
from novacore.tools.artifact_reads import PREFIX, read_artifact
from novacore.tools.files import Opened, file_source, open_file, path_question, printable
from novacore.tools.paths import OWN_RESULTS
from novacore.tools.repeats import counted
from novacore.tools.whole_secrets import masked_part
from novacore.types import (
    FileRecord,
    PermissionQuestion,
    ReadResult,
    ToolCall,
    ToolOutcome,
    ToolSpec,
)

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext

_LINE = {"type": "integer", "minimum": 1}
_BYTE = {"type": "integer", "minimum": 0}

SPEC = ToolSpec(
    name="read",
    description=(
        "Read a symbol (name path such as Class/method), a line range (1-based, inclusive), a byte"
        " range, an outline, or a whole small file. Says the version that edit and write need."
        " Also artifact:<id>."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "symbol": {"type": "string"},
            "start_line": _LINE,
            "end_line": _LINE,
            "start_byte": _BYTE,
            "end_byte": _BYTE,
            "outline": {"type": "boolean"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    required=True,
)
_SHOWN = ("ok", "too_large")
_COUNTED = ("not_found", "ambiguous", "unsupported", "unreadable")
"""Answers that say nothing new when the same is asked again."""
_OTHER = "an outline of the file, find for a symbol, search for its text, or line ranges"


class ReadTool:
    """Asks only for files outside the roots."""

    spec = SPEC

    def question(
        self, call: ToolCall, context: ToolContext
    ) -> PermissionQuestion | ToolOutcome | None:
        """Whether a file outside the roots may be read."""
        path = call.input["path"]
        if path.startswith(PREFIX):
            return None
        access = context.policy.resolve(path, write=False)
        if access.verdict == "deny":
            return outcomes.denied(printable(access.reason))
        if access.verdict == "ask":
            return path_question(call, access, f"Read {access.relative}")
        return None

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Read, on another thread: parsing a large file takes a while."""
        outcome = await asyncio.to_thread(_read, call.input, context)
        if outcome.status not in _COUNTED:
            return outcome
        return counted(call, context, outcome, scope=call.input["path"], other=_OTHER)


def _read(given: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
    path, target = given["path"], _target(given)
    if path.startswith(PREFIX):
        return read_artifact(path.removeprefix(PREFIX), target, context)
    access = context.policy.resolve(path, write=False)
    if access.verdict != "allow":
        return outcomes.denied(printable(access.reason))
    if access.rule == OWN_RESULTS:
        return read_artifact(access.real.stem, target, context)
    opened = open_file(access, context)
    if isinstance(opened, ToolOutcome):
        return opened
    result = read(access.relative, opened.data, target)
    if result.status not in _SHOWN or (
        result.range is None and not target.outline and not result.text
    ):
        return _without_text(opened, result)
    what = _what(result, target)
    if not context.ledger.note_read(opened.path, what, result.version):
        return _unchanged(opened, result)
    context.ledger.note_content(opened.path, opened.data)
    return _with_text(opened, replace(result, ignored=_is_ignored(opened, context)), context)


def _target(given: Mapping[str, Any]) -> Target:
    return Target(
        symbol=given.get("symbol", ""),
        start_line=int(given.get("start_line", 0)),
        end_line=int(given.get("end_line", 0)),
        start_byte=int(given.get("start_byte", -1)),
        end_byte=int(given.get("end_byte", -1)),
        outline=bool(given.get("outline", False)),
    )


def _what(result: ReadResult, target: Target) -> str:
    """The part of the file that the text shows; equal parts have equal names."""
    place = result.range
    shape = "outline" if target.outline or result.status == "too_large" else "text"
    return f"{shape}:{place.start_byte}-{place.end_byte}" if place else shape


def _is_ignored(opened: Opened, context: ToolContext) -> bool:
    real = opened.access.real
    root = next((root for root in context.policy.roots if real.is_relative_to(root)), None)
    return root is not None and ignored(root, real)


def _with_text(opened: Opened, result: ReadResult, context: ToolContext) -> ToolOutcome:
    first = result.range.start_line if result.range else None
    last = result.range.end_line if result.range else None
    text = _masked(opened.data, result, context)
    notes = _notes(opened, result)
    header = f"{opened.path} {'; '.join(notes)}"
    record = FileRecord(
        path=opened.path, action="read", event="", after=result.version,
        start_line=first, end_line=last,
    )  # fmt: skip
    return ToolOutcome(
        text=f"{header}\n{text}" if text else f"{header}\n(empty)",
        status=result.status,
        source=file_source(opened, first, last),
        files=(record,),
    )


def _masked(data: bytes, result: ReadResult, context: ToolContext) -> str:
    place = result.range
    if place is None or result.status != "ok" or result.encoding not in AS_IS:
        return context.masker.mask(printable(result.text)).text
    start = _margin_start(data, place.start_byte) if result.kind else place.start_byte
    return masked_part(data, start, place.end_byte, context.masker)


def _margin_start(data: bytes, start: int) -> int:
    """Before the white space of a symbol's first line, so that it can be quoted as it stands."""
    first = data.rfind(b"\n", 0, start) + 1
    return start if data[first:start].strip(b" \t") else first


def _notes(opened: Opened, result: ReadResult) -> list[str]:
    place = result.range
    notes = [f"version {result.version}"]
    if place:
        lines = f"lines {place.start_line}-{place.end_line} of {result.total_lines}"
        notes.append(lines if result.total_bytes else "empty")
        if result.reason and "start_byte" in result.reason:
            notes.append(f"bytes {place.start_byte}-{place.end_byte} of {result.total_bytes}")
    else:
        notes.append(f"{result.total_lines} lines")
    if result.name_path:
        notes.append(f"{result.kind} {result.name_path}")
    if result.encoding not in ("utf-8", ""):
        notes.append(f"encoding {result.encoding}")
    flags = ("approximate", "generated", "minified", "ignored")
    notes += [flag for flag in flags if getattr(result, flag)]
    if result.status != "ok":
        notes.append(result.status)
    if result.reason:
        notes.append(printable(result.reason))
    return notes


def _unchanged(opened: Opened, result: ReadResult) -> ToolOutcome:
    place = result.range
    lines = f" lines {place.start_line}-{place.end_line}" if place else ""
    text = (
        f"{opened.path}{lines}: unchanged since you read it (version {result.version});"
        " the text is still in this conversation, above."
    )
    return ToolOutcome(text=text, status="unchanged", source=file_source(opened))


def _without_text(opened: Opened, result: ReadResult) -> ToolOutcome:
    lines = [f"{opened.path} version {result.version}: {result.status}: {printable(result.reason)}"]
    lines += [
        f"{candidate.name_path} lines {candidate.start_line}-{candidate.end_line}"
        f" {candidate.kind} | {candidate.signature}"
        for candidate in result.candidates
    ]
    if result.nearest:
        lines.append(f"nearest: {', '.join(result.nearest)}")
    is_error = result.status not in ("ambiguous", "too_many", "too_large")
    return ToolOutcome(
        text=printable("\n".join(lines)),
        status=result.status,
        is_error=is_error,
        source=file_source(opened),
    )
