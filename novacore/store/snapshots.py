"""What requests held: rendered texts once each, by content, and a row for every request."""

from __future__ import annotations

import hashlib
import re
import threading
from pathlib import Path
from typing import Any

from novacore.errors import DiskRefused, StoreError
from novacore.store.jsontext import from_bytes, to_bytes
from novacore.store.lines import append_line, read_lines
from novacore.store.private import read_private, refusal, write_private
from novacore.types import JSON

BLOBS = "blobs"
REQUESTS = "requests.jsonl"
_HASH = re.compile(r"[0-9a-f]{32}")


class Snapshots:
    """The ``snapshots`` folder of one session. Nothing here raises for a disk that refuses.

    What it did not take stays in memory and is written when a later write succeeds.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.refused: DiskRefused | None = None
        """Why the newest write failed; None when everything is written."""
        self._blobs: dict[str, bytes] = {}
        self._rows: list[bytes] = []
        self._stored: set[str] = set()
        self._lock = threading.Lock()

    def put(self, data: JSON) -> str:
        """Keep a value; gives its hash (32 hex digits). Equal values with equal order are one."""
        text = to_bytes(data)
        digest = hashlib.sha256(text).hexdigest()[:32]
        with self._lock:
            if digest not in self._stored and not self._path(digest).exists():
                self._blobs[digest] = text
                self._write()
            self._stored.add(digest)
        return digest

    def get(self, digest: str) -> JSON:
        """The value of a hash. Raises StoreError when it is gone (retention) or damaged."""
        text = self._blobs.get(digest)
        try:
            if text is None:
                text = read_private(self._path(digest))
            value: Any = from_bytes(text)
        except (OSError, ValueError) as error:
            raise StoreError(f"the content of snapshot {digest[:12]} is no longer kept") from error
        if hashlib.sha256(text).hexdigest()[:32] != digest or not isinstance(value, dict):
            raise StoreError(f"snapshot {digest[:12]} is damaged")
        return value

    def append_request(self, row: JSON) -> None:
        """Add a row to ``requests.jsonl``."""
        with self._lock:
            self._rows.append(to_bytes(row) + b"\n")
            self._write()

    def requests(self) -> list[JSON]:
        """Every row in order, those in memory too; torn or damaged lines are left out."""
        path = self.folder / REQUESTS
        lines = [line.data for line in read_lines(path)] if path.exists() else []
        values = [_value(line) for line in (*lines, *self._rows)]
        return [value for value in values if isinstance(value, dict)]

    def _write(self) -> None:
        path = self.folder / REQUESTS
        try:
            for digest, text in list(self._blobs.items()):
                write_private(path := self._path(digest), text)
                del self._blobs[digest]
            while self._rows:
                append_line(path := self.folder / REQUESTS, self._rows[0])
                del self._rows[0]
        except OSError as error:
            self.refused = refusal(error, path)
        else:
            self.refused = None

    def _path(self, digest: str) -> Path:
        if not _HASH.fullmatch(digest):
            raise StoreError(f"{digest[:40]!r} is no snapshot")
        return self.folder / BLOBS / f"{digest}.json"


def _value(line: bytes) -> Any:
    try:
        return from_bytes(line)
    except ValueError:
        return None
