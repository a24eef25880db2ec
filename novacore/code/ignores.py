"""What a tree leaves out: default folders and nested ``.gitignore`` files, with or without git."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from novacore.code.globs import compile_globs
from novacore.code.text import decode

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

EXCLUDED = frozenset({
    ".git", ".hg", ".svn", ".bzr", ".jj", "node_modules", "bower_components", "__pycache__",
    ".venv", "venv", ".tox", ".nox", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    ".hypothesis", ".ipynb_checkpoints", ".gradle", ".terraform", ".next", ".nuxt", ".parcel-cache",
})  # fmt: skip
"""Folders that hold no source of the project itself."""
MAX_BYTES = 1_000_000
"""Of one ignore file; a larger one is not read."""


class Ignores:
    """The ignore rules that hold in one folder: its own, then those of the folders above it."""

    def __init__(self, folder: Path, above: Ignores | None = None) -> None:
        self._above = above
        self._prefix = len(os.fspath(folder).rstrip("/")) + 1
        self._spec = _read(folder, (".gitignore", ".ignore"))
        self._exclude = None if above else _read(folder, (".git/info/exclude",))

    def match(self, real: str, *, folder: bool) -> bool:
        """Whether ``real`` below this folder is left out; the nearest rule wins."""
        if folder and real.rpartition("/")[2] in EXCLUDED:
            return True
        return bool(self._decide(real + "/" if folder else real))

    def _decide(self, real: str) -> bool | None:
        for spec in (self._spec, self._exclude):
            decided = spec.check_file(real[self._prefix :]).include if spec else None
            if decided is not None:
                return decided
        return self._above._decide(real) if self._above else None


def ignored(root: Path, real: Path) -> bool:
    """Whether a walk of ``root`` leaves out ``real`` or a folder around it. Both are real paths."""
    rules, here = Ignores(root), root
    parts = real.relative_to(root).parts
    for depth, part in enumerate(parts, 1):
        here = here / part
        folder = depth < len(parts) or here.is_dir()
        if rules.match(os.fspath(here), folder=folder):
            return True
        if folder:
            rules = Ignores(here, rules)
    return False


def _read(folder: Path, names: tuple[str, ...]) -> GitIgnoreSpec | None:
    lines = [line for name in names for line in _lines(folder / name)]
    return compile_globs(lines) if lines else None


def _lines(path: Path) -> list[str]:
    """The rules of one file; an absent, linked, large or unreadable one has none, as with git."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
            return []
        return [line.removesuffix("\r") for line in decode(path.read_bytes()).text.split("\n")]
    except OSError:
        return []
