"""What Python may import from: nothing that lies in a workspace.

A folder on ``sys.path`` below an untrusted root would let a clone put modules, and whole
distributions with entry points, in front of NovaCore. What stays although it lies below a root is
the running program itself: its interpreter's library folders, and the folder that ``novacore`` was
imported from. Whoever could plant something there has changed the program that the user started
already. They stay only when they lie *in* the root; a root inside of them gets nothing.
"""

from __future__ import annotations

import importlib
import os
import site
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import novacore

_LIBRARIES = ("stdlib", "platstdlib", "purelib", "platlib")


def clean_sys_path(roots: Iterable[Path]) -> tuple[str, ...]:
    """Drop ``''`` and every entry below one of ``roots`` from ``sys.path``; gives what it dropped.

    To be called before entry points are looked for.
    """
    real = tuple(roots)
    dropped = tuple(entry for entry in sys.path if entry == "" or in_workspace(Path(entry), real))
    if dropped:
        sys.path[:] = [entry for entry in sys.path if entry not in dropped]
        importlib.invalidate_caches()
    return dropped


def in_workspace(place: Path, roots: Iterable[Path]) -> bool:
    """Whether ``place`` lies below one of ``roots``, by name or by real path, as something foreign.

    A link counts where it lies and where it leads: both are the clone's choice.
    """
    return any(
        _below(place, root) and not any(_below(place, own) and _below(own, root) for own in _own())
        for root in roots
    )


def _own() -> tuple[Path, ...]:
    """The folders of the running program."""
    paths = sysconfig.get_paths()
    own = {Path(paths[name]) for name in _LIBRARIES}
    own.update(Path(p) for p in (*site.getsitepackages(), site.getusersitepackages()))
    if novacore.__file__:
        own.add(Path(novacore.__file__).parent.parent)
    return tuple(own)


def _below(place: Path, folder: Path) -> bool:
    named = _named(place), _named(folder)
    real = _normal(os.path.realpath(place)), _normal(os.path.realpath(folder))
    return any(a == b or b in a.parents for a, b in (named, real, (named[0], real[1])))


def _named(path: Path) -> Path:
    return _normal(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the links


def _normal(path: str) -> Path:
    return Path(os.path.normcase(path))
