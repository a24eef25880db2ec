"""Files as the tools meet them: under the path policy, with every failure as an outcome."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from novacore.code.text import version_of
from novacore.errors import Denied
from novacore.tools import outcomes
from novacore.types import PermissionQuestion, Source, ToolCall, ToolOutcome

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext
    from novacore.tools.paths import Access

MAX_LISTED = 5_000
"""Entries of a folder among which a similar name is looked for."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A file as it is at this moment."""

    access: Access
    data: bytes

    @property
    def path(self) -> str:
        """As it is shown: bytes of the name that are no UTF-8 are replaced."""
        return printable(self.access.relative)

    @property
    def version(self) -> str:
        """The content hash."""
        return version_of(self.data)


def printable(text: str) -> str:
    """``text`` without surrogates, which no provider, terminal or log takes."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8", "replace")


def open_file(access: Access, context: ToolContext) -> Opened | ToolOutcome:
    """Read the file, or say why not. ``access`` must allow it."""
    name = printable(access.relative)
    try:
        if access.real.is_dir():
            return outcomes.failed(f"{name} is a folder; list it with glob, or name a file.")
        return Opened(access, context.policy.read_bytes(access))
    except Denied as error:
        return outcomes.denied(printable(str(error)))
    except FileNotFoundError:
        return _absent(access)
    except OSError as error:
        why = error.strerror or type(error).__name__
        text = f"{name} cannot be read: {why}."
        return ToolOutcome(text=text, status="unreadable", is_error=True)


def path_question(call: ToolCall, access: Access, title: str) -> PermissionQuestion:
    """Whether a path outside the roots may be opened."""
    return PermissionQuestion(
        id=f"{call.id}:path",
        call_id=call.id,
        tool=call.name,
        subject="path",
        title=printable(title),
        detail=printable(access.reason),
        paths=(access.relative,),
        protected=access.protected,
        rule=f"path:{access.real}",
    )


def file_source(opened: Opened, first: int | None = None, last: int | None = None) -> Source:
    """Where a text of this file comes from."""
    uri = f"file:{opened.path}"
    return Source(uri=uri, start_line=first, end_line=last, version=opened.version)


def _absent(access: Access) -> ToolOutcome:
    from rapidfuzz import fuzz, process

    names = _siblings(access)
    near = process.extract(access.real.name, names, scorer=fuzz.ratio, limit=3, score_cutoff=60)
    parent = access.relative.rpartition("/")[0]
    shown = [printable(f"{parent}/{name}" if parent else name) for name, _, _ in near]
    hint = f" Nearest: {', '.join(shown)}." if shown else " Look for it with glob."
    text = f"There is no file {printable(access.relative)}.{hint}"
    return ToolOutcome(text=text, status="not_found", is_error=True)


def _siblings(access: Access) -> list[str]:
    try:
        with os.scandir(access.real.parent) as entries:
            return [entry.name for entry, _ in zip(entries, range(MAX_LISTED), strict=False)]
    except OSError:
        return []
