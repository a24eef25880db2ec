"""What the user answered with "always", per workspace, in the state folder."""

from __future__ import annotations

from pathlib import Path

from novacore.tools.state_file import load_object, update_object
from novacore.types import JSON


class RecordedRules:
    """A file of rules by the workspace's real path. A damaged file means: nothing is allowed."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def rules(self, root: Path) -> tuple[str, ...]:
        """The rules that the user recorded for ``root``."""
        return _of(load_object(self._file), root)

    def record(self, root: Path, rule: str) -> None:
        """Add ``rule`` for ``root``. Raises ``DiskRefused``."""

        def added(data: JSON) -> JSON:
            return data | {_key(root): list(dict.fromkeys([*_of(data, root), rule]))}

        update_object(self._file, added)

    def forget(self, root: Path) -> None:
        """Drop every rule of ``root``. Raises ``DiskRefused``."""
        update_object(
            self._file, lambda data: {key: data[key] for key in data if key != _key(root)}
        )


def _key(root: Path) -> str:
    return str(root.resolve())


def _of(data: JSON, root: Path) -> tuple[str, ...]:
    found = data.get(_key(root))
    return tuple(rule for rule in found if isinstance(rule, str)) if isinstance(found, list) else ()
