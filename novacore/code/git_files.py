"""The checked-out commit from git's own files: no process is started, nothing of git is run.

Two processes cost 15 ms and stand before every request; these files are read in 0.1 ms.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"ref: (refs/(?!.*(?:\.\.|//|\.lock$))[^\x00-\x20\x7f~^:?*\[\\]+)")
_SMALL = 4_096
_PACKED = 16 * 2**20
"""Bytes of a file of packed refs that is read; a larger one is left to git."""


def head_of(top: Path) -> str | None:
    """The commit of the working tree at ``top``: hex digits, empty before the first commit.

    None where these files do not say it: then git must be asked.
    """
    folder = _git_folder(top)
    if folder and not _is_file(folder / "HEAD"):
        # Without it there is no repository, and a pipe in its place would keep git waiting.
        return ""
    said = _text(folder / "HEAD", _SMALL) if folder else None
    if folder is None or said is None or _HASH.fullmatch(said):
        return said
    ref = _REF.fullmatch(said)
    if ref is None or ref[1].endswith("/.invalid"):
        return None
    common = _common(folder)
    for place in (folder, common):
        found = _text(place / ref[1], _SMALL)
        if found is not None:
            return found if _HASH.fullmatch(found) else None
    return _packed(common, ref[1])


def _git_folder(top: Path) -> Path | None:
    place = top / ".git"
    if place.is_dir():
        return place
    said = _text(place, _SMALL)
    if said is None or not said.startswith("gitdir: "):
        return None
    return top / said.removeprefix("gitdir: ")


def _common(folder: Path) -> Path:
    """Where the refs are: a further working tree shares them with the first one."""
    said = _text(folder / "commondir", _SMALL)
    return folder / said if said else folder


def _packed(common: Path, ref: str) -> str | None:
    path = common / "packed-refs"
    if not path.exists():
        return ""
    text = _text(path, _PACKED)
    if text is None:
        return None
    for line in text.splitlines():
        digits, _, name = line.partition(" ")
        if name == ref and _HASH.fullmatch(digits):
            return digits
    return ""


def _text(path: Path, limit: int) -> str | None:
    """A small regular file without its last newline; None for anything else."""
    try:
        if not _is_file(path):
            return None
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError:
        return None
    return os.fsdecode(data).rstrip("\r\n") if len(data) <= limit else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
