"""One line for one tool call: what was read, changed or run, and what was kept of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from novacore.cli.output import clip, count, plural

Tone = Literal["ok", "bad", "warn"]
_DONE = ("ok", "unchanged")
_QUERIES = ("find", "search", "glob")
_SUBJECT_CHARS, _WORDS_CHARS, _NOTE_CHARS = 80, 50, 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A finished tool call as a line: ``name  subject  · notes``."""

    name: str
    subject: str
    notes: tuple[str, ...]
    tone: Tone

    @property
    def line(self) -> str:
        """The step without colours."""
        return " · ".join((f"{self.name:<8}{self.subject}".rstrip(), *self.notes))


def step_of(data: Mapping[str, Any]) -> Step:
    """The step that a ``toolCall`` event of phase ``finished`` tells of."""
    status = str(data.get("status") or "ok")
    failed = bool(data.get("isError")) or data.get("exitCode") not in (None, 0)
    return Step(
        name=str(data.get("name", "")),
        subject=subject_of(data.get("input") or {}),
        notes=tuple(_notes(data, status)),
        tone="bad" if failed else "ok" if status in _DONE else "warn",
    )


def subject_of(arguments: Mapping[str, Any]) -> str:
    """What a call is about, in a few words."""
    path = str(arguments.get("path") or "")
    for name in ("command", "pattern", "name", "query"):
        if words := arguments.get(name):
            if not path:
                return clip(str(words), _SUBJECT_CHARS)
            return clip(f"{clip(str(words), _WORDS_CHARS)} in {path}", _SUBJECT_CHARS)
    if symbol := arguments.get("symbol"):
        return clip(f"{path}::{symbol}", _SUBJECT_CHARS)
    if start := arguments.get("start_line"):
        return clip(f"{path}:{start}-{arguments.get('end_line') or ''}", _SUBJECT_CHARS)
    if isinstance(items := arguments.get("items"), list):
        return plural(len(items), "item")
    return clip(path, _SUBJECT_CHARS)


def _notes(data: Mapping[str, Any], status: str) -> list[str]:
    text = str(data.get("text") or "")
    notes = []
    if (code := data.get("exitCode")) is not None:
        notes.append(f"exit {code}")
    elif status not in _DONE or data.get("isError"):
        reason = next((line for line in text.splitlines() if line.strip()), "")
        return [status, clip(reason, _NOTE_CHARS)] if reason else [status]
    elif status == "unchanged":
        notes.append("unchanged since it was read")
    if diff := data.get("diff"):
        notes.append(changed_lines(str(diff)))
    elif artifact := data.get("spilled"):
        shown = f"{count(len(text))} characters shown"
        notes.append(f"kept as artifact:{clip(str(artifact), 40)}, {shown}")
    elif text and status == "ok":
        notes.append(_came(data, text.rstrip("\n").split("\n")))
    return [note for note in notes if note]


def _came(data: Mapping[str, Any], lines: Sequence[str]) -> str:
    """What a call gave: the lines that were read, a query's own summary, or how much it printed."""
    if place := data.get("lines"):
        first, last = place
        return f"lines {first}-{last}" if last > first else f"line {first}"
    if data.get("name") in _QUERIES:
        return clip(lines[0], _NOTE_CHARS)
    if data.get("exitCode") is not None:  # the last line is the exit code
        lines = lines[:-1]
    return plural(len(lines), "line")


def changed_lines(diff: str) -> str:
    """``+3 -1`` for a unified diff."""
    lines = diff.split("\n")
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    return f"+{added} -{removed}"
