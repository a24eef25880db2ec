"""A turn for a machine: one event a line, in the form that every surface uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from novacore.cli.output import print_json, print_line
from novacore.cli.steps import Step
from novacore.errors import NovaCoreError

if TYPE_CHECKING:
    from novacore.service.api import TurnEvent


class TurnLines:
    """Prints ``{v, sessionId, turnId, seq, ts, kind, ...}`` lines, and last one of kind result.

    As a context manager it prints that last line whatever happened.
    """

    def __init__(self) -> None:
        self.session = ""
        self.steps: list[Step] = []
        self.idle: Mapping[str, Any] = {}
        self.code = 0
        self._text: list[str] = []
        self._last: TurnEvent | None = None

    def __enter__(self) -> TurnLines:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, BrokenPipeError):
            return
        self._result(error)

    def show(self, event: TurnEvent) -> None:
        """Print one event. The answer is the text since the last tool call."""
        self._last = event
        if event.kind == "text":
            self._text.append(str(event.data.get("delta", event.data.get("text", ""))))
        elif event.kind == "toolCall":
            self._text.clear()
        elif event.kind == "idle":
            self.idle = event.data
        head = {
            "v": 1,
            "kind": event.kind,
            "sessionId": event.session_id,
            "turnId": event.turn_id,
            "seq": event.seq,
            "ts": event.ts,
            "counter": event.counter,
        }
        print_line({**event.data, **head})

    def say(self, text: str, style: str = "dim") -> None:
        """Lines for people are not printed."""

    def close(self) -> None:
        """Every line is complete already."""

    def _result(self, error: BaseException | None) -> None:
        code = self.code
        if error is not None:
            code = error.exit_code if isinstance(error, NovaCoreError) else 1
        if isinstance(error, KeyboardInterrupt):
            code = 130
        stopped = {0: "", 3: "limit", 130: "cancelled"}.get(code, "error")
        data = {
            "sessionId": self.session,
            "turnId": self._last.turn_id if self._last else "",
            "stopReason": self.idle.get("stopReason") or stopped,
            "text": "".join(self._text),
            "steps": self.idle.get("steps", 0),
            "usage": self.idle.get("usage"),
            "cost": self.idle.get("cost"),
            "costs": self.idle.get("costs") or [],
            "request": self.idle.get("request"),
            "exitCode": code,
            "error": str(error) if error is not None else self._failure(),
        }
        print_json("result", data)

    def _failure(self) -> str:
        error = self.idle.get("error")
        return str(error.get("message", "")) if isinstance(error, Mapping) else ""
