"""Which workspaces the user trusts, bound to the content of what would run or take effect.

Trust is of one real path: another clone, a worktree or a folder inside is asked about by itself.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from novacore.tools.state_file import load_object, update_object
from novacore.tools.trust_items import (
    INSTRUCTIONS,
    TrustItem,
    instruction_item,
    instruction_names,
    trust_items,
)
from novacore.types import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """A workspace as it is now. ``changed``: items that differ from what was trusted, in words."""

    path: str
    trusted: bool
    changed: tuple[str, ...] = ()
    would_run: tuple[str, ...] = ()
    """What trusting it would let run or take effect, in words."""


class TrustStore:
    """A file in the state folder (0600). Damaged, or holding anything but true: untrusted.

    ``names`` are the files that the user's settings read as instructions, beside the usual ones.
    """

    def __init__(self, file: Path, names: Collection[str] = ()) -> None:
        self._file = file
        self._names = INSTRUCTIONS.union(names)

    def status(self, root: Path) -> Trusted:
        """Whether ``root`` is trusted with what it holds now. Reads, and never runs, its files."""
        real = root.resolve()
        items = trust_items(real, self._names)
        entry = load_object(self._file).get(str(real))
        granted = _granted(entry)
        changed = _changed(granted, items) if granted is not None else ()
        return Trusted(
            path=str(real),
            trusted=granted is not None and not changed,
            changed=changed,
            would_run=tuple(item.shown for item in items),
        )

    def holds(self, root: Path, path: Path) -> bool | None:
        """Whether the instruction file ``path`` is trusted with what it holds now.

        None for a file that trust is not bound to: by its name it instructs nobody.
        """
        real = root.resolve()
        if path.name not in instruction_names(real, self._names):
            return None
        granted = _granted(load_object(self._file).get(str(real)))
        item = instruction_item(real, real / path)
        if granted is None:
            return False
        # A file that is gone is confirmed as gone once trust was given without it.
        gone = not os.path.lexists(real / path)
        return item.name not in granted if gone else granted.get(item.name) == item.hash

    def grant(self, root: Path) -> Trusted:
        """Trust ``root`` as it is now. Raises ``DiskRefused``."""
        real = root.resolve()
        items = {item.name: item.hash for item in trust_items(real, self._names)}
        update_object(
            self._file, lambda data: data | {str(real): {"trusted": True, "items": items}}
        )
        return self.status(real)

    def revoke(self, root: Path) -> bool:
        """Trust ``root`` no longer; false when it was not in the store. Raises ``DiskRefused``."""
        key = str(root.resolve())
        known = key in load_object(self._file)
        update_object(self._file, lambda data: {name: data[name] for name in data if name != key})
        return known

    def list(self) -> tuple[Trusted, ...]:
        """Every workspace that was once trusted, as it is now, by path."""
        return tuple(self.status(Path(path)) for path in sorted(load_object(self._file)))


def _granted(entry: object) -> JSON | None:
    # `is True`: an object such as {"trusted": false} is true for Python, and must not be here.
    if not isinstance(entry, dict) or entry.get("trusted") is not True:
        return None
    items = entry.get("items")
    return items if isinstance(items, dict) else None


def _changed(granted: JSON, items: Sequence[TrustItem]) -> tuple[str, ...]:
    now = {item.name: item for item in items}
    new = [item.shown for item in items if item.name not in granted]
    other = [item.shown for item in items if granted.get(item.name, item.hash) != item.hash]
    gone = [f"{name} (gone)" for name in granted if name not in now]
    return tuple([f"{shown} (new)" for shown in new] + [f"{s} (changed)" for s in other] + gone)
