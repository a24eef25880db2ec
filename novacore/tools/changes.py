"""What edit and write share: the question with its diff, and the writing."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from novacore.code import diffs
from novacore.code.text import version_of
from novacore.tools import outcomes
from novacore.tools.files import Opened, printable
from novacore.types import (
    FileRecord,
    PermissionQuestion,
    Source,
    ToolCall,
    ToolOutcome,
    ToolSpec,
)

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext
    from novacore.tools.paths import Access

MAX_PREVIEWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change that is ready to be written. ``before`` is None for a file that does not exist."""

    access: Access
    before: bytes | None
    after: bytes
    diff: str
    told: str

    @property
    def path(self) -> str:
        """As it is shown."""
        return printable(self.access.relative)


class Previews:
    """The changes that people were shown, by call: nothing else is written in their name."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[str, ...]] = {}

    def show(self, call: ToolCall, change: Change) -> None:
        """Remember what is about to be asked."""
        self._shown[call.id] = _identity(change)
        while len(self._shown) > MAX_PREVIEWS:
            self._shown.pop(next(iter(self._shown)))

    def differs(self, call: ToolCall, change: Change) -> bool:
        """Whether the change is no longer the one that was shown."""
        shown = self._shown.pop(call.id, None)
        return shown is not None and shown != _identity(change)


class ChangeTool(ABC):
    """A tool that changes one file: shows the diff before it writes, and writes only that."""

    spec: ToolSpec
    verb: str
    """What it does, for the question about a file that may not be opened before somebody agreed."""

    def __init__(self) -> None:
        self._previews = Previews()

    @abstractmethod
    def texts(self, given: Mapping[str, Any]) -> Sequence[str]:
        """Every text of the input that stands in the file before or after."""

    @abstractmethod
    def prepared(
        self, given: Mapping[str, Any], access: Access, readable: Access, context: ToolContext
    ) -> Change | ToolOutcome:
        """The change, ready to be written, or why it cannot be made."""

    def question(
        self, call: ToolCall, context: ToolContext
    ) -> PermissionQuestion | ToolOutcome | None:
        """A trial run: the diff, or why the change cannot be made."""
        access = context.policy.resolve(call.input["path"], write=True)
        if access.verdict == "deny":
            return outcomes.denied(printable(access.reason))
        texts = self.texts(call.input)
        if refused := masked(access.relative, context, *texts):
            return refused
        readable = context.policy.resolve(call.input["path"], write=False)
        if readable.verdict != "allow":
            title = f"{self.verb} {access.relative}"
            return unseen_question(call, access, title, "\n".join(texts))
        change = self.prepared(call.input, access, readable, context)
        if isinstance(change, ToolOutcome):
            return change
        self._previews.show(call, change)
        return edit_question(call, change)

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Make the change on the file as it is now, if that is still what was shown."""
        return await asyncio.to_thread(self._run, call, context)

    def _run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        access = context.policy.resolve(call.input["path"], write=True)
        if access.verdict != "allow":
            return outcomes.denied(printable(access.reason))
        refused = masked(access.relative, context, *self.texts(call.input))
        change = refused or self.prepared(call.input, access, access, context)
        if isinstance(change, ToolOutcome):
            return change
        if self._previews.differs(call, change):
            return overtaken(Opened(access, change.before or b""))
        return carry_out(change, context)


def edit_question(call: ToolCall, change: Change) -> PermissionQuestion:
    """May this change be written?"""
    added = sum(line.startswith("+") for line in _changed_lines(change.diff))
    removed = sum(line.startswith("-") for line in _changed_lines(change.diff))
    verb = "Create" if change.before is None else "Edit"
    more = " and more" if diffs.is_cut(change.diff) else ""
    title = f"{verb} {change.path} (+{added} -{removed}{more})"
    return unseen_question(call, change.access, title, change.diff)


def unseen_question(call: ToolCall, access: Access, title: str, detail: str) -> PermissionQuestion:
    """The same about a file outside the roots, which is not opened before somebody agreed."""
    warnings = (printable(access.reason),) if access.reason else ()
    return PermissionQuestion(
        id=f"{call.id}:edit",
        call_id=call.id,
        tool=call.name,
        subject="edit",
        title=printable(title),
        detail=printable(detail),
        paths=(access.relative,),
        warnings=warnings,
        protected=access.protected,
        rule=f"edit:{access.relative}",
    )


def carry_out(change: Change, context: ToolContext) -> ToolOutcome:
    """Write the file in one step; on a failure nothing is changed."""
    try:
        context.policy.write_bytes(change.access, change.after)
    except OSError as error:
        why = error.strerror or type(error).__name__
        return outcomes.failed(f"{change.path} was not written: {why}. Nothing was changed.")
    version = version_of(change.after)
    context.ledger.note_content(change.path, change.after)
    record = FileRecord(
        path=change.path,
        action="created" if change.before is None else "modified",
        event="",
        before="" if change.before is None else version_of(change.before),
        after=version,
    )
    return ToolOutcome(
        text=printable(f"{change.path}: {change.told}; it is version {version} now"),
        source=Source(uri=f"file:{change.path}", version=version),
        files=(record,),
        data={"diff": printable(diffs.shortened(change.diff))},
    )


def overtaken(opened: Opened) -> ToolOutcome:
    """The file changed between the question and the answer."""
    text = (
        f"{opened.path} changed while the user was asked; nothing was written."
        f" It is version {opened.version} now: read it and edit it again."
    )
    return ToolOutcome(text=text, status="stale", is_error=True)


def masked(path: str, context: ToolContext, *texts: str) -> ToolOutcome | None:
    """A refusal when a text holds the mark of a masked secret, which would destroy the secret."""
    if not any(context.masker.has_mask(text) for text in texts):
        return None
    return outcomes.failed(
        f"{printable(path)}: the text holds a [secret:...] mark, which stands for a value that is"
        " hidden from you; writing it would destroy the value. Edit around it."
    )


def _identity(change: Change) -> tuple[str, ...]:
    """What a person agreed to: the lines, and the whole text where not all of it was shown."""
    rest = (version_of(change.after),) if diffs.is_cut(change.diff) else ()
    return (*_changed_lines(change.diff), *rest)


def _changed_lines(diff: str) -> tuple[str, ...]:
    body = diff.split("\n")[2:]
    return tuple(line for line in body if line.startswith(("+", "-", "\\", "...")))
