"""The ``edit`` tool: exact changes of a file that was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from novacore.code.edits import Edit, EditResult, apply_edits
from novacore.tools.changes import Change, ChangeTool
from novacore.tools.files import Opened, file_source, open_file, printable
from novacore.types import ToolOutcome, ToolSpec

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


class EditTool(ChangeTool):
    """Exact changes by text, symbol or lines; all of one call or none."""

    spec = SPEC
    verb = "Edit"

    @override
    def texts(self, given: Mapping[str, Any]) -> Sequence[str]:
        return [text for one in given["edits"] for text in (one.get("old", ""), one["new"]) if text]

    @override
    def prepared(
        self, given: Mapping[str, Any], access: Access, readable: Access, context: ToolContext
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
