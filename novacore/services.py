"""What the host lends to a plugin: the whole list, as protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from logging import Logger
from pathlib import Path
from typing import Any, Protocol

from novacore.types import Outline, ReadResult


class Clock(Protocol):
    """Time, so that tests can bend it."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...


class CodeReader(Protocol):
    """Just-in-time code reads under the path policy of the session."""

    def outline(self, path: str) -> Outline:
        """The symbols of a file."""
        ...

    def read(
        self, path: str, *, symbol: str = "", start_line: int = 0, end_line: int = 0
    ) -> ReadResult:
        """A symbol, a line range, or a whole small file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A passage of a past session or of a memory file that matched a search."""

    key: str
    text: str
    uri: str
    time: str
    score: float
    kind: str = ""
    version: str = ""


class PastReader(Protocol):
    """Full-text search over this principal's past sessions and memory files of this repository."""

    def search(
        self, text: str, *, limit: int, exclude_session: str = "", memory_only: bool = False
    ) -> Sequence[Remembered]:
        """Best first. Filtered by principal and repository before ranking."""
        ...


class Services(Protocol):
    """Given to a plugin's constructor as ``services``."""

    log: Logger
    clock: Clock
    code: CodeReader
    past: PastReader

    @property
    def data_dir(self) -> Path:
        """The plugin's own folder (0700), made on first use."""
        ...

    def secret(self, name: str) -> str | None:
        """A secret of this principal by name; never from a workspace."""
        ...

    def count(self, text: str) -> int:
        """Estimated tokens of ``text``."""
        ...

    def report_usage(self, name: str, usage: Mapping[str, Any], cost: float | None = None) -> None:
        """Count a side call that the plugin paid for."""
        ...

    def changed(self, hook: str) -> None:
        """Say that the plugin's answer to ``hook`` may have changed."""
        ...
