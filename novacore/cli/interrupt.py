"""Ctrl-C: the first asks the work to stop, the second leaves at once."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any


class Interrupt:
    """The process's SIGINT handler. ``stop`` says how the present work is stopped.

    Without ``stop`` a KeyboardInterrupt is raised where the program stands.
    """

    def __init__(self) -> None:
        self.pressed = 0
        self.stop: Callable[[], object] | None = None
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        self.pressed, self.stop = 0, None
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop = None
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, _: int, __: FrameType | None) -> None:
        self.pressed += 1
        if self.pressed > 1:
            self._leave()
        if self.stop is None:
            raise KeyboardInterrupt
        self.stop()

    def _leave(self) -> None:
        # The log is whole at every byte, so nothing is lost by not waiting for anything.
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            sys.stdout.flush()
        os._exit(130)


INTERRUPT = Interrupt()
