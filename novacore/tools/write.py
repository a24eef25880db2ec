"""The ``write`` tool: a new file, or a whole new text for one that was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from novacore.code import diffs
from novacore.code.places import numbered
from novacore.code.text import decode, encode, is_binary, line_count
from novacore.tools import outcomes
from novacore.tools.changes import Change, ChangeTool
from novacore.tools.files import Opened, file_source, open_file, printable
from novacore.types import ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext
    from novacore.tools.paths import Access

MAX_CHARS = 2_000_000

SPEC = ToolSpec(
    name="write",
    description=(
        "Write a whole file; folders are made. An existing file needs the version that read gave,"
        " and keeps its encoding and line endings; prefer edit for it."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string", "maxLength": MAX_CHARS},
            "version": {"type": "string"},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
    read_only=False,
)


class WriteTool(ChangeTool):
    """A whole file; an existing one needs the version that it was read in."""

    spec = SPEC
    verb = "Write"

    @override
    def texts(self, given: Mapping[str, Any]) -> Sequence[str]:
        return [given["content"]]

    @override
    def prepared(
        self, given: Mapping[str, Any], access: Access, readable: Access, context: ToolContext
    ) -> Change | ToolOutcome:
        content, version = given["content"], given.get("version", "").strip()
        opened = _existing(readable, context)
        if isinstance(opened, ToolOutcome):
            return opened
        if opened is None and version:
            return outcomes.failed(f"{printable(access.relative)} does not exist (any more).")
        if opened is not None and version != opened.version:
            return _stale(opened, version, context)
        try:
            before, after, old, kept = _encoded(opened, content)
        except UnicodeEncodeError as error:
            bad = ascii(error.object[error.start : error.end])[:40]
            return outcomes.failed(f"The text holds {bad}, which {error.encoding} cannot write.")
        if before == after:
            return outcomes.failed(f"{printable(access.relative)} has that content already.")
        diff = diffs.unified(printable(access.relative), printable(old), printable(content))
        told = f"{line_count(after):,} lines, {len(after):,} bytes written{kept}"
        return Change(access=access, before=before, after=after, diff=diff, told=told)


def _existing(access: Access, context: ToolContext) -> Opened | ToolOutcome | None:
    opened = open_file(access, context)
    absent = isinstance(opened, ToolOutcome) and opened.status == "not_found"
    return None if absent else opened


def _encoded(opened: Opened | None, content: str) -> tuple[bytes | None, bytes, str, str]:
    """Bytes before and after, the old text, and what is kept of the old file's form."""
    if opened is None:
        return None, content.encode("utf-8"), "", ""
    if is_binary(opened.data):
        return opened.data, content.encode("utf-8"), "(binary)\n", ""
    decoded = decode(opened.data)
    crlf = decoded.newline == "\r\n" and "\r" not in content
    text = content.replace("\n", "\r\n") if crlf else content
    if decoded.encoding == "unknown":
        return opened.data, text.encode("utf-8"), decoded.text, " as UTF-8"
    kept = " with CRLF line endings" if crlf else ""
    if decoded.encoding != "utf-8" or decoded.bom:
        kept += f" in {decoded.encoding}{' with its byte order mark' if decoded.bom else ''}"
    return opened.data, encode(decoded, text), decoded.text.replace("\r\n", "\n"), kept


def _stale(opened: Opened, version: str, context: ToolContext) -> ToolOutcome:
    """The file is there, and not as the author knows it."""
    known = f"not {version}" if version else "and you gave no version"
    text = f"{opened.path} exists; it is version {opened.version}, {known}. Nothing was written."
    if not is_binary(opened.data):
        shown = numbered(printable(decode(opened.data).text), 1, line_count(opened.data))
        text = f"{text} As it is now:\n{shown}"
    context.ledger.note_content(opened.path, opened.data)
    return ToolOutcome(
        text=context.masker.mask(text).text,
        status="stale",
        is_error=True,
        source=file_source(opened),
    )
