"""Ctrl-C, a closed terminal, a polite kill: the first asks the work to stop, the second leaves."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Interrupt:
    """The process's signal handler. ``stop`` says how the present work is stopped.

    Without ``stop`` a KeyboardInterrupt is raised where the program stands. ``leaving`` is called
    before the process leaves without waiting for anything.
    """

    def __init__(self) -> None:
        self.pressed = 0
        self.stop: Callable[[], object] | None = None
        self.leaving: Callable[[], object] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupt:
        self.pressed, self.stop, self.leaving = 0, None, None
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                # Who started us may want one passed over, as nohup does.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop = self.leaving = None
        while self._before:
            signal.signal(*self._before.popitem())

    def _on_signal(self, _: int, __: FrameType | None) -> None:
        self.pressed += 1
        if self.pressed > 1:
            self._leave()
        if self.stop is None:
            raise KeyboardInterrupt
        self.stop()

    def _leave(self) -> None:
        if self.leaving is not None:
            self.leaving()
        # The log is whole at every byte, so nothing is lost by not waiting for anything.
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            sys.stdout.flush()
        os._exit(130)


INTERRUPT = Interrupt()
