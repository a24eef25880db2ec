"""The files that find, search and glob look at."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from novacore.code.globs import compile_globs, problem_of
from novacore.code.walk import WalkedFile, walk
from novacore.tools import outcomes
from novacore.tools.files import printable
from novacore.types import ToolOutcome

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext
    from novacore.tools.paths import Access

MAX_FILES = 50_000
MAX_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Tree:
    """Files in a stable order, named as the tools name paths. ``cut``: there were more."""

    files: tuple[WalkedFile, ...]
    scope: str
    cut: str = ""


def tree(path: str, glob: str, context: ToolContext) -> Tree | ToolOutcome:
    """The files below ``path`` (empty: every root) that ``glob`` (empty: any) matches."""
    if glob and (problem := problem_of(glob)):
        return outcomes.failed(f"{glob[:200]!r} is no glob: {problem}.")
    starts = _starts(path, context)
    if isinstance(starts, ToolOutcome):
        return starts
    spec = compile_globs([glob]) if glob else None
    found = (
        file
        for root, start in starts
        for file in _files(root, start, context)
        if spec is None or spec.match_file(file.path)
    )
    end = time.monotonic() + MAX_SECONDS
    files: list[WalkedFile] = []
    cut = ""
    for file in islice(found, MAX_FILES + 1):
        if len(files) == MAX_FILES or time.monotonic() > end:
            cut = f"only the first {len(files):,} files were looked at; name a folder"
            break
        files.append(file)
    return Tree(tuple(files), printable(path or "the workspace"), cut)


def _starts(path: str, context: ToolContext) -> list[tuple[Path, Path]] | ToolOutcome:
    """Root and starting point of each walk."""
    if not path:
        return [(root, root) for root in context.policy.roots]
    access = context.policy.resolve(path, write=False)
    if access.verdict != "allow":
        return outcomes.denied(printable(access.reason))
    try:
        access.real.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ToolOutcome(
            text=f"There is no {printable(access.relative)}.", status="not_found", is_error=True
        )
    except OSError as error:
        text = f"{printable(access.relative)} cannot be read: {error.strerror}."
        return ToolOutcome(text=text, status="unreadable", is_error=True)
    roots = [root for root in context.policy.roots if access.real.is_relative_to(root)]
    return [(roots[0] if roots else _top(access), access.real)]


def _top(access: Access) -> Path:
    return access.real if access.real.is_dir() else access.real.parent


def _files(root: Path, start: Path, context: ToolContext) -> Iterator[WalkedFile]:
    first = context.policy.roots[0]
    if start.is_file():
        walked = WalkedFile(path=start.name, real=start, size=start.stat().st_size)
        found: Iterator[WalkedFile] = iter((walked,))
    else:
        found = walk(root, allowed=context.policy.allowed, start=start, binaries=True)
    for file in found:
        if file.real.is_relative_to(first):
            yield replace(file, path=os.fspath(file.real.relative_to(first)).replace(os.sep, "/"))
        else:
            yield replace(file, path=file.real.as_posix())
