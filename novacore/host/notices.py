"""One line for the user for each new way in which a plugin fails; never the same one twice."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from novacore.host.types import Fault

_SAID: dict[str, str] = {
    "raised": "failed ({detail})",
    "deadline": "{detail}, and is not asked again in this session",
    "busy": "{detail}",
    "refused": "gave an answer that was refused ({detail})",
    "hung": "is not asked: {detail}",
    "off": "is switched off for this session after {detail}",
    "stray": "failed in a task of its own ({detail})",
    "load": "is not in use: {detail}",
}
"""What is absent is recorded and not said: of a late answer the deadline was said already, and a
plugin that was still at work when NovaCore ended did nothing wrong."""


@dataclass(slots=True, eq=False)
class Notice:
    """A line that may still learn who answered instead."""

    fault: Fault
    instead: str = ""


class Notices:
    """Collects notices until the surface takes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: set[tuple[str, ...]] = set()
        self._waiting: list[Notice | str] = []

    def add(self, fault: Fault) -> Notice | None:
        """Note a fault; None when one of its kind was noted before, or it is not worth a line."""
        if fault.reason not in _SAID:
            return None
        notice = Notice(fault)
        return notice if self._keep(_kind(fault), notice) else None

    def say(self, line: str) -> None:
        """Note something that is no fault, once."""
        self._keep((line,), line)

    def drain(self) -> tuple[str, ...]:
        """The lines since the last call."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        return tuple(n if isinstance(n, str) else _line(n) for n in waiting)

    def _keep(self, key: tuple[str, ...], notice: Notice | str) -> bool:
        with self._lock:
            if key in self._seen:
                return False
            self._seen.add(key)
            self._waiting.append(notice)
        return True


def _kind(fault: Fault) -> tuple[str, ...]:
    if fault.reason in ("load", "stray"):
        return fault.plugin, fault.reason, fault.detail
    # That a plugin is not asked any more was said with its hang, for that hook.
    reason = "deadline" if fault.reason == "hung" else fault.reason
    return fault.plugin, fault.hook, reason


def _line(notice: Notice) -> str:
    fault = notice.fault
    what = _SAID[fault.reason].format(detail=fault.detail)
    hook = f" {fault.hook}" if fault.hook else ""
    instead = f"; {notice.instead}" if notice.instead else ""
    return f"plugin {fault.plugin}:{hook} {what}{instead}"
