"""A sign of life on the terminal while something takes longer than a second."""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType

SECONDS = 1.0
"""Shorter work shows nothing."""
_FRAMES = ("·  ", "·· ", "···", " ··", "  ·", "   ")
_FRAME_SECONDS = 0.15


class Waiting:
    """Shows ``words`` on stderr from the second second on, and takes them away at the end.

    Nothing at all when stderr is no terminal, or one that cannot move its cursor.
    """

    def __init__(self, words: str) -> None:
        self._words = words
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Waiting:
        if self._words and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self) -> None:
        if self._over.wait(SECONDS):
            return
        turn = 0
        while True:
            self._write(f"\r  {_FRAMES[turn % len(_FRAMES)]} {self._words}")
            turn += 1
            if self._over.wait(_FRAME_SECONDS):
                break
        self._write("\r\x1b[2K")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
