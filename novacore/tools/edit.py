"""The ``edit`` tool: exact changes of a file that was read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from novacore.code.edits import Edit, EditResult, apply_edits
from novacore.tools import outcomes
from novacore.tools.changes import (
    Change,
    Previews,
    carry_out,
    edit_question,
    masked,
    overtaken,
    unseen_question,
)
from novacore.tools.files import Opened, file_source, open_file, printable
from novacore.types import PermissionQuestion, ToolCall, ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext
    from novacore.tools.paths import Access

_TEXT = {"type": "string"}
_LINE = {"type": "integer", "minimum": 0}

SPEC = ToolSpec(
    name="edit",
    description=(
        "Change a file that you read; version as read said it. Each edit is old+new (old unique, or"
        " replace_all), symbol+new (the whole declaration), or start_line+end_line+new (end_line ="
        " start_line-1 inserts). All edits apply or none; all refer to the file as it was read."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": _TEXT,
            "version": _TEXT,
            "edits": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "old": _TEXT,
                        "new": _TEXT,
                        "replace_all": {"type": "boolean"},
                        "symbol": _TEXT,
                        "start_line": _LINE,
                        "end_line": _LINE,
                    },
                    "required": ["new"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["path", "version", "edits"],
        "additionalProperties": False,
    },
    read_only=False,
)


class EditTool:
    """Shows the diff before it writes, and writes only what was shown."""

    spec = SPEC

    def __init__(self) -> None:
        self._previews = Previews()

    def question(
        self, call: ToolCall, context: ToolContext
    ) -> PermissionQuestion | ToolOutcome | None:
        """A trial run: the diff, or why the edit cannot be made."""
        access = context.policy.resolve(call.input["path"], write=True)
        if access.verdict == "deny":
            return outcomes.denied(printable(access.reason))
        refused = masked(access.relative, context, *_texts(call.input["edits"]))
        if refused:
            return refused
        readable = context.policy.resolve(call.input["path"], write=False)
        if readable.verdict != "allow":
            detail = "\n".join(_texts(call.input["edits"]))
            return unseen_question(call, access, f"Edit {access.relative}", detail)
        change = _prepared(call.input, access, readable, context)
        if isinstance(change, ToolOutcome):
            return change
        self._previews.show(call, change)
        return edit_question(call, change)

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Make the edits on the file as it is now."""
        return await asyncio.to_thread(self._run, call, context)

    def _run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        access = context.policy.resolve(call.input["path"], write=True)
        if access.verdict != "allow":
            return outcomes.denied(printable(access.reason))
        refused = masked(access.relative, context, *_texts(call.input["edits"]))
        change = refused or _prepared(call.input, access, access, context)
        if isinstance(change, ToolOutcome):
            return change
        if self._previews.differs(call, change):
            return overtaken(Opened(access, change.before or b""))
        return carry_out(change, context)


def _prepared(
    given: Mapping[str, Any], access: Access, readable: Access, context: ToolContext
) -> Change | ToolOutcome:
    opened = open_file(readable, context)
    if isinstance(opened, ToolOutcome):
        return opened
    based_on = given["version"].strip()
    seen = context.ledger.last_seen(opened.path, based_on)
    edits = [_edit(one) for one in given["edits"]]
    result = apply_edits(access.relative, opened.data, edits, based_on=based_on, last_seen=seen)
    if result.status != "ok":
        return _refused(opened, result, context)
    return Change(
        access=access, before=opened.data, after=result.data, diff=result.diff, told=result.text
    )


def _edit(one: Mapping[str, Any]) -> Edit:
    return Edit(
        old=one.get("old"),
        new=one["new"],
        symbol=one.get("symbol", ""),
        start_line=int(one.get("start_line", 0)),
        end_line=int(one.get("end_line", 0)),
        replace_all=bool(one.get("replace_all", False)),
    )


def _texts(edits: Sequence[Mapping[str, Any]]) -> list[str]:
    return [text for one in edits for text in (one.get("old", ""), one["new"]) if text]


def _refused(opened: Opened, result: EditResult, context: ToolContext) -> ToolOutcome:
    # The model now knows this version's region, so a next edit may be placed by it.
    context.ledger.note_content(opened.path, opened.data)
    text = f"{opened.path} was not changed: {result.reason}. It is version {result.version}."
    if result.text:
        text = f"{text}\n{result.text}"
    return ToolOutcome(
        text=context.masker.mask(printable(text)).text,
        status=result.status,
        is_error=True,
        source=file_source(opened),
    )
