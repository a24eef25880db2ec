"""Reasoning blocks as their provider gave them: opaque, private, gone at the next boundary."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from novacore.errors import DiskRefused
from novacore.store.jsontext import from_bytes, to_bytes
from novacore.store.private import read_private, refusal, write_private
from novacore.types import JSON


class ReasoningStore:
    """The ``reasoning`` folder of one session. Where the disk refuses, memory serves this process.

    Blocks come back only for the provider, model and prefix hash that they were stored with.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.refused: DiskRefused | None = None
        """Why the newest write failed; None when it did not."""
        self._kept: dict[str, JSON] = {}
        self._forgotten = False

    def put(self, provider: str, model: str, prefix_hash: str, blocks: Sequence[JSON]) -> None:
        """Keep the blocks of the answer to a prefix: ``{index, data}`` each, ``data`` untouched."""
        entry = {"key": [provider, model, prefix_hash], "blocks": list(blocks)}
        self._kept[prefix_hash] = entry
        path = self._path(prefix_hash)
        try:
            write_private(path, to_bytes(entry))
        except OSError as error:
            self.refused = refusal(error, path)
        else:
            self.refused = None

    def get(self, provider: str, model: str, prefix_hash: str) -> tuple[JSON, ...]:
        """The blocks of the answer to a prefix; nothing when any of the three differs."""
        entry = self._kept.get(prefix_hash) or self._load(prefix_hash)
        if entry.get("key") != [provider, model, prefix_hash]:
            return ()
        return tuple(block for block in entry["blocks"] if isinstance(block, dict))

    def clear(self) -> bool:
        """Delete all of it; whether there was any. A file that stays is never read again here."""
        had = bool(self._kept)
        self._kept.clear()
        if self._forgotten or not self.folder.is_dir() or self.folder.is_symlink():
            return had
        for path in self.folder.iterdir():
            had = True
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                self.refused, self._forgotten = refusal(error, path), True
        return had

    def _load(self, prefix_hash: str) -> JSON:
        if self._forgotten:
            return {}
        try:
            value: Any = from_bytes(read_private(self._path(prefix_hash)))
        except (OSError, ValueError):
            return {}
        if not isinstance(value, dict) or not isinstance(value.get("blocks"), list):
            return {}
        self._kept[prefix_hash] = value
        return value

    def _path(self, prefix_hash: str) -> Path:
        return self.folder / f"{hashlib.sha256(prefix_hash.encode()).hexdigest()[:32]}.json"
