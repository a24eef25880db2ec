"""Programs of the machine, never of a workspace."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def find_program(name: str, outside: Iterable[Path]) -> Path | None:
    """The first program ``name`` on PATH that neither lies nor leads below a folder of ``outside``.

    Relative and empty entries of PATH are skipped: they would mean the current folder.
    """
    roots = [Path(os.path.realpath(root)) for root in outside]
    for entry in os.environ.get("PATH", "").split(os.pathsep):
        path = Path(entry) / name
        if entry and path.is_absolute() and _runs(path) and not _below(path, roots):
            return path
    return None


def _runs(path: Path) -> bool:
    try:
        return path.is_file() and os.access(path, os.X_OK)
    except OSError:
        # A folder of PATH that this user may not enter, as after `su`: the shell passes over it.
        return False


def _below(path: Path, roots: list[Path]) -> bool:
    places = (Path(os.path.normpath(path)), Path(os.path.realpath(path)))
    return any(place.is_relative_to(root) for place in places for root in roots)
