"""A state read back from the text of a request: what the model was really told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from novacore.engine.state.grammar import Item, read
from novacore.engine.state.render import STATEMENTS
from novacore.types import (
    CommandRecord,
    Conflict,
    Fact,
    FileRecord,
    PlanItem,
    SideEffect,
    State,
    Statement,
)


def parse_state_text(text: str) -> State:
    """The state whose text stands in ``text``. Raises ValueError when there is none."""
    sections: dict[str, list[Item]] = {}
    for name, entry in read(text):
        sections.setdefault(name, []).append(entry)
    slots: dict[str, Any] = {
        name: tuple(map(_statement, sections.get(name, ()))) for name in STATEMENTS
    }
    for name, make in _RECORDS.items():
        slots[name] = tuple(map(make, sections.get(name, ())))
    return State(
        **slots,
        goal=next(map(_statement, sections.get("goal", ())), None),
        conflicts=_conflicts(sections.get("conflicts", ())),
        worktree={entry.get("key"): entry.text for entry in sections.get("worktree", ())},
        reply_language=_only(sections, "reply_language"),
        narrative=_only(sections, "narrative"),
    )


def _only(sections: Mapping[str, list[Item]], name: str) -> str:
    return next((entry.text for entry in sections.get(name, ())), "")


def _statement(entry: Item) -> Statement:
    condition = entry.get("condition")
    if holds := entry.get("if"):
        start, _, end = holds.partition("-")
        condition = entry.text[int(start) : int(end)]
    return Statement(
        id=entry.get("id"),
        text=entry.text,
        event=entry.get("event"),
        condition=condition,
        superseded_by=entry.get("superseded_by"),
    )


def _conflicts(entries: Iterable[Item]) -> tuple[Conflict, ...]:
    found: list[tuple[str, str, list[Statement]]] = []
    for entry in entries:
        if id := entry.get("conflict"):
            found.append((id, entry.text, []))
        elif found:
            found[-1][2].append(_statement(entry))
    return tuple(
        Conflict(id=id, subject=subject, candidates=tuple(candidates))
        for id, subject, candidates in found
    )


def _number(text: str) -> int | None:
    return int(text) if text else None


def _file(entry: Item) -> FileRecord:
    return FileRecord(
        path=entry.text,
        action=cast(Any, entry.get("action")),
        event=entry.get("event"),
        before=entry.get("before"),
        after=entry.get("after"),
        start_line=_number(entry.get("from")),
        end_line=_number(entry.get("to")),
    )


def _command(entry: Item) -> CommandRecord:
    return CommandRecord(
        command=entry.text,
        event=entry.get("event"),
        exit_code=_number(entry.get("exit")),
        error=entry.get("error"),
        failing=entry.all("failing"),
    )


def _effect(entry: Item) -> SideEffect:
    return SideEffect(
        call_id=entry.get("call"),
        tool=entry.get("tool"),
        summary=entry.text,
        status=cast(Any, entry.get("status")),
        event=entry.get("event"),
    )


def _fact(entry: Item) -> Fact:
    return Fact(
        id=entry.get("id"),
        claim=entry.text,
        evidence=entry.all("evidence"),
        status=cast(Any, entry.get("status")),
    )


def _plan(entry: Item) -> PlanItem:
    return PlanItem(id=entry.get("id"), text=entry.text, status=cast(Any, entry.get("status")))


def _text(entry: Item) -> str:
    return entry.text


_RECORDS: Mapping[str, Callable[[Item], Any]] = {
    "files": _file,
    "commands": _command,
    "side_effects": _effect,
    "facts": _fact,
    "plan": _plan,
    "identifiers": _text,
    "numbers": _text,
}
