"""A person's edits of the state; nobody else's count.

Data of a ``state_edit`` event, by ``op``:
  pin        {text, condition?, slot?}   constraint (default), decision, condition, done_when,
                                         identifier or number
  goal       {text}
  resolve    {id, keep?}     a rule, loop, side effect, or conflict (``keep``: what holds)
  supersede  {id, text?}     a rule or decision no longer holds, or holds in these words
  edit       {id, text}      the same as ``supersede`` with ``text``
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from novacore.engine.state.ids import derived_id
from novacore.types import Conflict, Event, State, Statement

_SLOTS = {
    "constraint": "constraints",
    "decision": "decisions",
    "condition": "conditions",
    "done_when": "done_when",
}
_LITERALS = {"identifier": "identifiers", "number": "numbers"}
_REPLACEABLE = ("constraints", "decisions", "conditions", "done_when")


def edit(state: State, event: Event) -> State:
    """``state`` after a person's edit; anyone else's, or an unknown one, changes nothing."""
    step = _OPS.get(str(event.data.get("op", "")))
    return step(state, event) if step and event.by == "user" else state


def _pin(state: State, event: Event) -> State:
    text, slot = str(event.data.get("text", "")), str(event.data.get("slot", "constraint"))
    if not text.strip():
        return state
    if field := _LITERALS.get(slot):
        known: tuple[str, ...] = getattr(state, field)
        return state if text in known else _with(state, field, (*known, text))
    return _add(state, _SLOTS.get(slot, "constraints"), event, text)


def _add(state: State, field: str, event: Event, text: str) -> State:
    new = Statement(
        id=derived_id("pin", event.id),
        text=text,
        event=event.id,
        condition=str(event.data.get("condition") or ""),
    )
    held: tuple[Statement, ...] = getattr(state, field)
    return _with(state, field, (*held, new))


def _with(state: State, field: str, value: object) -> State:
    slots: dict[str, Any] = {field: value}
    return replace(state, **slots)


def _goal(state: State, event: Event) -> State:
    text = str(event.data.get("text", ""))
    if not text.strip():
        return state
    earlier = (*state.earlier_goals, state.goal) if state.goal else state.earlier_goals
    goal = Statement(id=derived_id("goal", event.id), text=text, event=event.id)
    return replace(state, goal=goal, earlier_goals=earlier[-10:])


def _supersede(state: State, event: Event) -> State:
    id, text = str(event.data.get("id", "")), str(event.data.get("text") or "")
    for field in _REPLACEABLE:
        held: tuple[Statement, ...] = getattr(state, field)
        if any(item.id == id and not item.superseded_by for item in held):
            state = _with(state, field, _ended(held, {id}, event.id))
            state = _add(state, field, event, text) if text.strip() else state
            return replace(state, conflicts=_without(state, id))
    return state


def _resolve(state: State, event: Event) -> State:
    id = str(event.data.get("id", ""))
    conflict = next((c for c in state.conflicts if c.id == id), None)
    if conflict is not None:
        keep = str(event.data.get("keep") or conflict.candidates[0].id)
        losers = {candidate.id for candidate in conflict.candidates} - {keep}
        rest = tuple(c for c in state.conflicts if c.id != id)
        ended = _ended(state.constraints, losers, event.id)
        return replace(state, conflicts=rest, constraints=ended)
    loops = tuple(loop for loop in state.open_loops if loop.id != id)
    effects = tuple(
        replace(e, status="committed", event=event.id) if e.call_id == id else e
        for e in state.side_effects
    )
    return _supersede(replace(state, open_loops=loops, side_effects=effects), event)


def _ended(held: tuple[Statement, ...], ids: set[str], event: str) -> tuple[Statement, ...]:
    return tuple(
        replace(s, superseded_by=event) if s.id in ids and not s.superseded_by else s for s in held
    )


def _without(state: State, statement: str) -> tuple[Conflict, ...]:
    return tuple(
        c for c in state.conflicts if all(candidate.id != statement for candidate in c.candidates)
    )


_OPS: Mapping[str, Callable[[State, Event], State]] = {
    "pin": _pin,
    "goal": _goal,
    "resolve": _resolve,
    "supersede": _supersede,
    "edit": _supersede,
}
