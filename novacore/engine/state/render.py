"""A state as text for a model: every slot, with the event that stands behind each entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from novacore.engine.state.grammar import Item, item, write
from novacore.types import (
    CommandRecord,
    Conflict,
    Fact,
    FileRecord,
    SideEffect,
    State,
    Statement,
)

STATEMENTS = (
    "earlier_goals",
    "done_when",
    "constraints",
    "conditions",
    "decisions",
    "open_loops",
    "ruled_out",
)
"""Slots of plain statements; each is a section of its name."""


def render_state(state: State) -> str:
    """The whole state; ``parse_state_text`` reads an equal one back."""
    return write(_sections(state))


def _sections(state: State) -> Iterator[tuple[str, Iterable[Item]]]:
    yield "goal", [statement(state.goal)] if state.goal else []
    for name in STATEMENTS:
        yield name, map(statement, getattr(state, name))
    yield "conflicts", (row for conflict in state.conflicts for row in _conflict(conflict))
    yield "side_effects", map(_effect, state.side_effects)
    yield "plan", (item(p.text, ("id", p.id), ("status", p.status)) for p in state.plan)
    yield "files", map(_file, state.files)
    yield "commands", map(_command, state.commands)
    yield "facts", map(_fact, state.facts)
    yield "identifiers", map(item, state.identifiers)
    yield "numbers", map(item, state.numbers)
    yield "worktree", (item(value, ("key", key)) for key, value in state.worktree.items())
    yield "reply_language", [item(state.reply_language)] if state.reply_language else []
    yield "narrative", [item(state.narrative)] if state.narrative else []


def statement(said: Statement) -> Item:
    """A statement's words; its condition is a range of them where it is a part of them."""
    start = said.text.find(said.condition) if said.condition else -1
    holds = f"{start}-{start + len(said.condition)}" if start >= 0 else ""
    return item(
        said.text,
        ("id", said.id),
        ("event", said.event),
        ("superseded_by", said.superseded_by),
        ("if", holds),
        fields=[("condition", said.condition if start < 0 else "")],
    )


def _conflict(conflict: Conflict) -> Iterator[Item]:
    yield item(conflict.subject, ("conflict", conflict.id))
    for candidate in conflict.candidates:
        yield statement(candidate)


def _effect(effect: SideEffect) -> Item:
    return item(
        effect.summary,
        ("status", effect.status),
        ("tool", effect.tool),
        ("call", effect.call_id),
        ("event", effect.event),
    )


def _file(record: FileRecord) -> Item:
    start, end = record.start_line, record.end_line
    return item(
        record.path,
        ("action", record.action),
        ("before", record.before),
        ("after", record.after),
        ("from", "" if start is None else str(start)),
        ("to", "" if end is None else str(end)),
        ("event", record.event),
    )


def _command(record: CommandRecord) -> Item:
    return item(
        record.command,
        ("exit", "" if record.exit_code is None else str(record.exit_code)),
        ("event", record.event),
        fields=[("error", record.error), *(("failing", name) for name in record.failing)],
    )


def _fact(fact: Fact) -> Item:
    return item(
        fact.claim,
        ("id", fact.id),
        ("status", fact.status),
        *(("evidence", event) for event in fact.evidence),
    )
