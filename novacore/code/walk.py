"""The files of a tree, each real one once, in a stable order."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from novacore.code.ignores import Ignores, ignored
from novacore.code.text import BINARY_WINDOW, is_binary

MAX_DEPTH = 64
"""Folders below each other; deeper ones are not entered."""
MAX_READ_BYTES = 64_000_000
"""Of one file that a search or a find looks into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkedFile:
    """``path`` is posix, relative to the root; bytes that are no UTF-8 are surrogate escapes."""

    path: str
    real: Path
    size: int


def walk(
    root: Path,
    *,
    allowed: Callable[[Path], bool],
    start: Path | None = None,
    binaries: bool = False,
) -> Iterator[WalkedFile]:
    """The regular files below ``start`` (default ``root``), by path.

    Left out: what nested ``.gitignore`` files and the default excludes name, what ``allowed``
    forbids, links (what one inside the root leads to is met in its own place; what leads out is
    never followed), binaries unless asked for, and folders that cannot be opened. A ``start`` that
    is itself ignored is walked: somebody named it.
    """
    root = Path(os.path.realpath(root))
    begin = Path(os.path.realpath(start)) if start else root
    if begin != root and not begin.is_relative_to(root):
        return
    pending = [(begin, _rules_at(root, begin))]
    while pending:
        folder, rules = pending.pop()
        files, folders = _entries(folder, rules, allowed)
        if len(folder.parts) - len(root.parts) < MAX_DEPTH:
            pending.extend((below, Ignores(below, rules)) for below in reversed(folders))
        for real, size in files:
            if binaries or not _looks_binary(real):
                yield WalkedFile(path=real.relative_to(root).as_posix(), real=real, size=size)


def read_file(file: WalkedFile) -> bytes | None:
    """The bytes of a walked file; None when it is too large, unreadable, or no file any more."""
    return _read(file.real, MAX_READ_BYTES)


def _rules_at(root: Path, begin: Path) -> Ignores:
    if begin == root or ignored(root, begin):
        return Ignores(begin)
    rules, here = Ignores(root), root
    for part in begin.relative_to(root).parts:
        here = here / part
        rules = Ignores(here, rules)
    return rules


def _entries(
    folder: Path, rules: Ignores, allowed: Callable[[Path], bool]
) -> tuple[list[tuple[Path, int]], list[Path]]:
    files: list[tuple[Path, int]] = []
    folders: list[Path] = []
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return [], []
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not entry.is_file(follow_symlinks=False):
            continue
        if rules.match(entry.path, folder=is_folder) or not allowed(Path(entry.path)):
            continue
        if is_folder:
            folders.append(Path(entry.path))
        else:
            files.append((Path(entry.path), _size(entry)))
    return files, folders


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0


def _looks_binary(real: Path) -> bool:
    head = _read(real, None)
    # One that cannot be opened is handed on: who reads it can tell that it was left out.
    return head is not None and is_binary(head)


def _read(real: Path, most: int | None) -> bytes | None:
    """The file, or its first bytes without ``most``. Never through a link, never from a device."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(real, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or (most is not None and status.st_size > most):
                return None
            return file.read(BINARY_WINDOW if most is None else most)
    except OSError:
        return None
