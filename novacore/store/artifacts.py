"""Outputs that left the window, as files of their session that can be read back in parts."""

from __future__ import annotations

import errno
import io
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from novacore.errors import ArtifactNotFound, DiskRefused
from novacore.store import parts
from novacore.store.grep import grep
from novacore.store.jsontext import well_formed
from novacore.store.names import safe_name
from novacore.store.parts import Part
from novacore.store.private import FLAGS, refusal, write_private
from novacore.types import Hit

SUFFIX = ".txt"

MEMORY_BYTES = 64 * 2**20
"""Text that is kept in memory while it has no file; beyond it the oldest is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A stored output. ``id`` is what a model names it by; sizes are of the text as stored."""

    id: str
    path: Path | None
    """None while there is no file."""
    chars: int
    lines: int
    sha256: str
    tokens: int = 0
    """As given to ``put``; 0 after reopening (the log's spill events hold it)."""
    stored: bool = True
    reason: str = ""
    """Why there is no file: ``ENOSPC`` and the like, or ``off``."""
    kept: bool = True
    """The text can be read back, from the file or from memory."""


class ArtifactStore:
    """The ``tool-results`` folder of one session. Nothing is read or written before it is asked.

    ``to_disk=False`` keeps texts in memory only, up to ``memory_bytes``. ``taken`` are ids that
    the log speaks of: a new text never gets the name of one that was removed.
    """

    def __init__(
        self,
        folder: Path,
        *,
        to_disk: bool = True,
        memory_bytes: int = MEMORY_BYTES,
        taken: Iterable[str] = (),
    ) -> None:
        self.folder = folder
        self.refused: DiskRefused | None = None
        """Why the newest write failed; None when it did not."""
        self._warned = False
        self._to_disk = to_disk
        self._memory_bytes = memory_bytes
        self._unstored: dict[str, bytes] = {}
        self._known: dict[str, Artifact] = {}
        self._names = {name.lower(): name for name in (*taken, *_names_in(folder))}
        self._lock = threading.RLock()

    def put(self, call_id: str, text: str, *, tokens: int = 0) -> Artifact:
        """Store ``text`` under a name made from ``call_id``; never raises for the disk.

        The disk is tried once. Where it refuses, ``stored`` is False, ``reason`` says why, and the
        text stays readable in memory until it can be written.
        """
        data = well_formed(text).encode()
        size = parts.measure(io.BytesIO(data))
        with self._lock:
            id = safe_name(call_id, self._names)
            self._names[id.lower()] = id
            self._known[id] = Artifact(
                id=id, path=None, tokens=tokens, stored=False, reason="off",
                chars=size.chars, lines=size.lines, sha256=size.sha256,
            )  # fmt: skip
            if self._store(id, data):
                self.flush()
            else:
                self._keep(id, data)
            return self._known[id]

    def flush(self) -> int:
        """Write what the disk refused earlier, up to the first refusal; gives the rest's number."""
        with self._lock:
            for id, data in list(self._unstored.items()):
                if not self._store(id, data):
                    break
                del self._unstored[id]
            return len(self._unstored)

    def take_warning(self) -> str:
        """One line for the user, once for every time that the disk begins to refuse; else empty."""
        if self.refused is None or self._warned:
            return ""
        self._warned = True
        return (
            f"the disk refused a tool result ({self.refused.reason}): it is kept in memory and"
            " written once the disk takes it"
        )

    def ids(self) -> tuple[str, ...]:
        """Every artifact, those of earlier processes too, by name."""
        return tuple(sorted(self._names.values()))

    def get(self, id: str) -> Artifact:
        """What is known of an artifact. Raises ArtifactNotFound."""
        if id in self._known:
            return self._known[id]
        with self.reader(id) as file:
            size = parts.measure(file)
        found = Artifact(
            id=id, path=self._path(id), chars=size.chars, lines=size.lines, sha256=size.sha256
        )
        return self._known.setdefault(id, found)

    def text(self, id: str) -> str:
        """The whole text. Raises ArtifactNotFound."""
        with self.reader(id) as file:
            return file.read().decode("utf-8", "replace")

    def read_bytes(self, id: str, start: int, end: int, *, max_chars: int) -> Part:
        """The characters that begin in bytes ``start`` to ``end``. Raises ArtifactNotFound."""
        with self.reader(id) as file:
            return parts.by_bytes(file, start, end, max_chars=max_chars)

    def read_chars(self, id: str, start: int, end: int, *, max_chars: int) -> Part:
        """Characters ``start`` to ``end``, 0-based, half-open. Raises ArtifactNotFound."""
        with self.reader(id) as file:
            return parts.by_chars(file, start, end, max_chars=max_chars)

    def read_lines(self, id: str, start: int, end: int, *, max_chars: int) -> Part:
        """Lines ``start`` to ``end``, 1-based, inclusive. Raises ArtifactNotFound."""
        with self.reader(id) as file:
            return parts.by_lines(file, start, end, max_chars=max_chars)

    def search(self, id: str, pattern: str, *, limit: int) -> tuple[Hit, ...]:
        """Places that match a regular expression. Raises ArtifactNotFound, UsageError."""
        with self.reader(id) as file:
            return grep(file, pattern, limit=limit, path=f"artifact:{id}")

    @contextmanager
    def reader(self, id: str) -> Iterator[BinaryIO]:
        """The bytes of an artifact, from its file or from memory. Raises ArtifactNotFound."""
        data = self._unstored.get(id)
        if data is not None:
            yield io.BytesIO(data)
            return
        try:
            if self._names.get(id.lower()) != id:
                raise FileNotFoundError
            # O_NOFOLLOW: a command that ran may have put a link into the folder.
            handle = os.open(self._path(id), os.O_RDONLY | FLAGS)
        except OSError as error:
            raise ArtifactNotFound(f"no text is kept for artifact:{id}{self._why(id)}") from error
        with os.fdopen(handle, "rb") as file:
            yield file

    def _path(self, id: str) -> Path:
        return self.folder / f"{id}{SUFFIX}"

    def _why(self, id: str) -> str:
        known = self._known.get(id)
        return f" ({known.reason})" if known is not None and known.reason else ""

    def _store(self, id: str, data: bytes) -> bool:
        if not self._to_disk:
            return False
        path = self._path(id)
        try:
            if self.folder.is_symlink():
                raise NotADirectoryError(errno.ENOTDIR, "a link stands in its place")
            write_private(path, data, sync=True)
        except OSError as error:
            self.refused = refusal(error, path)
            self._known[id] = replace(self._known[id], reason=self.refused.reason)
            return False
        self.refused, self._warned = None, False
        self._known[id] = replace(self._known[id], path=path, stored=True, reason="")
        return True

    def _keep(self, id: str, data: bytes) -> None:
        self._unstored[id] = data
        while sum(map(len, self._unstored.values())) > self._memory_bytes:
            oldest = next(iter(self._unstored))
            del self._unstored[oldest]
            self._known[oldest] = replace(self._known[oldest], kept=False)


def _names_in(folder: Path) -> list[str]:
    """Names of the artifacts in ``folder``; links are none."""
    if not folder.is_dir() or folder.is_symlink():
        return []
    with os.scandir(folder) as entries:
        return [e.name.removesuffix(SUFFIX) for e in entries if _is_artifact(e)]


def _is_artifact(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False)
