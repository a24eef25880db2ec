"""A turn for a person: the answer on stdout, one line a step on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from novacore.cli.output import clip, console, count, for_terminal, one_line
from novacore.cli.steps import Step, step_of, subject_of

if TYPE_CHECKING:
    from novacore.service.api import TurnEvent

_TONES = {"ok": "dim", "bad": "red", "warn": "yellow"}
_LEVELS = {"error": "red", "warning": "yellow"}


class TurnView:
    """Shows the events of one turn as they come.

    ``list_steps``: False shows the steps only while they run; something lists them afterwards.
    """

    def __init__(self, *, list_steps: bool = True) -> None:
        self._list_steps = list_steps
        self.session = ""
        self.steps: list[Step] = []
        self.idle: Mapping[str, Any] = {}
        self.code = 0
        self._err = console(stderr=True)
        self._terminal = sys.stdout.isatty()
        self._waiting = False
        self._line_open = False

    def __enter__(self) -> TurnView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, event: TurnEvent) -> None:
        """Show one event; kinds that say nothing to a person pass by."""
        shower = getattr(self, f"_on_{event.kind}", None)
        if shower is not None:
            shower(event.data)

    def close(self) -> None:
        """End an open line."""
        self._end_wait()
        self._end_line()

    def say(self, text: str, style: str = "dim") -> None:
        """A line about the turn, on stderr and set off from the answer."""
        from rich.text import Text

        self.close()
        self._err.print(Text(f"  {one_line(text)}", style=style), soft_wrap=True)

    def _on_text(self, data: Mapping[str, Any]) -> None:
        self._end_wait()
        text = str(data.get("delta", data.get("text", "")))
        sys.stdout.write(for_terminal(text) if self._terminal else text)
        sys.stdout.flush()
        self._line_open = not text.endswith("\n") if text else self._line_open

    def _on_toolCall(self, data: Mapping[str, Any]) -> None:
        phase = data.get("phase")
        if phase == "finished":
            step = step_of(data)
            self.steps.append(step)
            if self._list_steps:
                self.say(step.line, _TONES[step.tone])
            else:
                self._wait(step.line)
        elif phase == "started":
            self._wait(f"{data.get('name', '')} {subject_of(data.get('input') or {})}")
        elif lines := str(data.get("text", "")).strip().splitlines():
            self._wait(lines[-1])

    def _on_compaction(self, data: Mapping[str, Any]) -> None:
        before, after = count(data.get("before") or 0), count(data.get("after") or 0)
        by = data.get("plugin") or "the host"
        verdict = f" · {data['verdict']}" if data.get("verdict") else ""
        self.say(f"compacted {before} -> {after} tokens by {by}{verdict}")

    def _on_recall(self, data: Mapping[str, Any]) -> None:
        for item in data.get("items", ()):
            self.say(f"recalled {item.get('uri') or item.get('key')} · {item.get('plugin', '')}")

    def _on_plan(self, data: Mapping[str, Any]) -> None:
        items = data.get("items", ())
        done = sum(item.get("status") == "done" for item in items)
        doing = [str(item.get("text", "")) for item in items if item.get("status") == "doing"]
        now = f" · now: {clip(doing[0], 80)}" if doing else ""
        self.say(f"plan    {done} of {len(items)} done{now}")

    def _on_notice(self, data: Mapping[str, Any]) -> None:
        self.say(f"note: {data.get('text', '')}", _LEVELS.get(str(data.get("level")), "dim"))

    def _on_idle(self, data: Mapping[str, Any]) -> None:
        self.idle = data
        self.close()

    def _wait(self, words: str) -> None:
        # What runs now is progress: on a terminal only, and gone when the result is there.
        if self._err.is_terminal and not self._err.is_dumb_terminal:
            self._end_line()
            sys.stderr.write(f"\r\x1b[2K  … {clip(words, max(10, self._err.width - 6))}")
            sys.stderr.flush()
            self._waiting = True

    def _end_wait(self) -> None:
        if self._waiting:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._waiting = False

    def _end_line(self) -> None:
        if self._line_open:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._line_open = False
