"""What goes wrong with plugins, noted once: on disk, for the log, and in a line for the user."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from novacore.host.faults import FaultLog, now, prune
from novacore.host.notices import Notice, Notices
from novacore.host.types import Fault
from novacore.host.words import describe, frames


class Record:
    """The faults and notices of one host. Every method may be called from any thread."""

    def __init__(self, file: Path | None, mask: Callable[[str], str] = str) -> None:
        self.faults = FaultLog(file)
        self.notices = Notices()
        self._mask = mask
        self._masking = threading.Lock()
        if file is None:
            return
        try:
            prune(file)
        except OSError as error:
            self.faults.lost = error.strerror or str(error)

    def note(self, fault: Fault) -> Notice | None:
        """Record a fault; gives the notice when it is the first of its kind."""
        fault = self.masked(fault)
        self.faults.record(fault)
        return self.notices.add(fault)

    def masked(self, fault: Fault) -> Fault:
        """The fault without the secrets that a plugin's error may quote."""
        with self._masking:
            return replace(fault, detail=self._mask(fault.detail), trace=self._mask(fault.trace))

    def not_loaded(self, plugin: str, detail: str, trace: str = "") -> None:
        """Note a plugin that could not be taken into use."""
        self.note(
            Fault(plugin=plugin, hook="", reason="load", detail=detail, time=now(), trace=trace)
        )

    def stray(self, plugin: str) -> Callable[[BaseException], None]:
        """What hears of errors that no call of the plugin answers for."""

        def heard(error: BaseException) -> None:
            detail, trace = describe(error), frames(error)
            self.note(
                Fault(
                    plugin=plugin, hook="", reason="stray", detail=detail, time=now(), trace=trace
                )
            )

        return heard

    def lines(self) -> tuple[str, ...]:
        """The notices since the last call, and once that the disk keeps no faults."""
        if self.faults.lost:
            self.notices.say(f"the faults of plugins are not kept on disk: {self.faults.lost}")
        return self.notices.drain()
