"""The identity of a repository: a random id that moves along with it and is never cloned."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

from novacore.config.folders import state_dir
from novacore.errors import DiskRefused
from novacore.store.private import (
    TEMP_PREFIX,
    create_private,
    private_folder,
    read_private,
    refusal,
    write_all,
)

NAME = "novacore-id"
_ID = re.compile(rb"[0-9a-f]{32}\n?")
_POINTER_BYTES = 4096


def repository_id(root: Path, *, state: Path | None = None) -> str:
    """The id of the repository that ``root`` lies in: 32 hex digits.

    It stands in the git common dir, so worktrees share it. Where there is none, or it is not ours
    to write, it stands in the state folder by the real path. Raises DiskRefused when neither works.
    """
    real = root.resolve()
    common = common_dir(real)
    if common is not None:
        with suppress(OSError):
            if found := _id_in(common / NAME):
                return found
    by_path = (state or state_dir()) / "repositories" / "by-path"
    top = common.parent if common is not None else real
    path = by_path / hashlib.sha256(os.fsencode(top)).hexdigest()[:32]
    try:
        private_folder(by_path)
        if found := _id_in(path):
            return found
    except OSError as error:
        refused = refusal(error, path)
        raise DiskRefused(
            f"cannot keep an id of {real}: {error.strerror} ({refused.reason}); free or unlock"
            f" {by_path}",
            reason=refused.reason,
        ) from error
    raise DiskRefused(f"cannot keep an id of {real}: {path} is no file; move it away")


def common_dir(root: Path) -> Path | None:
    """The git common dir of the real path ``root``, found without running git.

    None without git, and where a link, a pointer that is not answered by a pointer back, or a
    foreign owner would make it somebody else's.
    """
    for folder in (root, *root.parents):
        dot_git = folder / ".git"
        if dot_git.is_symlink():
            return None
        if dot_git.is_dir():
            return _ours(dot_git) if (dot_git / "HEAD").exists() else None
        if dot_git.is_file():
            return _pointed_to(dot_git)
    return None


def _pointed_to(dot_git: Path) -> Path | None:
    pointer = _first_line(dot_git)
    if not pointer.startswith("gitdir:"):
        return None
    git_dir = (dot_git.parent / pointer.removeprefix("gitdir:").strip()).resolve()
    # A hostile .git file may point at any repository; only one that points back is meant.
    if (back := _first_line(git_dir / "gitdir")) and (git_dir / back).resolve() == dot_git:
        common = (git_dir / _first_line(git_dir / "commondir")).resolve()
        return _ours(common) if common == git_dir.parent.parent else None
    worktree = re.search(r"(?m)^\s*worktree\s*=\s*(.+?)\s*$", _text(git_dir / "config"))
    if worktree and (git_dir / worktree[1].strip('"')).resolve() == dot_git.parent:
        return _ours(git_dir)
    return None


def _ours(folder: Path) -> Path | None:
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        return None
    return folder


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_POINTER_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _first_line(path: Path) -> str:
    return _text(path).partition("\n")[0].strip("\r")


def _id_in(path: Path) -> str:
    """The id in ``path``, made if there is none; empty where no file stands. Raises OSError."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        return ""
    known = read_private(path)[:64] if path.exists() else b""
    if _ID.fullmatch(known):
        return known.decode().strip()
    if known or path.exists():
        path.unlink()
    return _create(path)


def _create(path: Path) -> str:
    made = os.urandom(16).hex()
    temp = path.with_name(f"{TEMP_PREFIX}{made}")
    handle = create_private(temp)
    try:
        try:
            write_all(handle, f"{made}\n".encode())
        finally:
            os.close(handle)
        # Unlike a rename, a link fails where another process was first; both then use its id.
        os.link(temp, path)
    except FileExistsError:
        return path.read_text("ascii").strip()
    finally:
        temp.unlink(missing_ok=True)
    return made
