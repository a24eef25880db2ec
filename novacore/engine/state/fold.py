"""``fold``: one event further. All that a state holds is made here, from events, by code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from novacore.engine.state import edits, outcomes, said
from novacore.engine.state.ids import derived_id
from novacore.engine.state.json_form import from_json
from novacore.types import Event, PlanItem, State, Statement


def fold(state: State, event: Event) -> State:
    """``state`` after ``event``. Pure; kinds that say nothing about the task leave it as it is."""
    step = _STEPS.get(event.kind)
    return step(state, event) if step else state


def fold_all(events: Iterable[Event], state: State | None = None) -> State:
    """The state after ``events``, from nothing or from ``state``."""
    state = state or State()
    for event in events:
        state = fold(state, event)
    return state


def plan_items(items: Iterable[Mapping[str, Any]]) -> tuple[PlanItem, ...]:
    """The plan tool's list as it stands in an event."""
    return tuple(
        PlanItem(
            id=str(item.get("id", number)),
            text=str(item.get("text", "")),
            status=item["status"] if item.get("status") in _PLAN_STATUS else "open",
        )
        for number, item in enumerate(items, 1)
    )


_PLAN_STATUS = ("open", "doing", "done", "cancelled")


def _plan(state: State, event: Event) -> State:
    return replace(state, plan=plan_items(event.data.get("items", ())))


def _permission(state: State, event: Event) -> State:
    question: Mapping[str, Any] = event.data.get("question") or {}
    loop = derived_id("ask", question.get("call_id") or question.get("id") or event.id)
    loops = tuple(item for item in state.open_loops if item.id != loop)
    title = str(question.get("title") or question.get("tool") or "")
    if not event.data.get("outcome"):
        waiting = Statement(id=loop, text=f"waiting for approval: {title}", event=event.id)
        return replace(state, open_loops=(*loops, waiting))
    state = replace(state, open_loops=loops)
    return _refusal(state, event, title) if event.data["outcome"] == "reject" else state


def _refusal(state: State, event: Event, title: str) -> State:
    reason = str(event.data.get("reason") or "")
    text = f"refused: {title}" + (f" ({reason})" if reason else "")
    refused = Statement(id=derived_id("dec", event.id), text=text, event=event.id)
    return replace(state, decisions=(*state.decisions, refused)[-outcomes.KEPT_REFUSALS :])


def _update(state: State, event: Event) -> State:
    if event.data.get("scope") != "mode":
        return state
    named = event.data.get("mode")
    text = f"mode: {named}" if named else outcomes.one_line(event.data.get("text", ""))
    mode = Statement(id="mode", text=text, event=event.id)
    rest = tuple(item for item in state.conditions if item.id != mode.id)
    return replace(state, conditions=(*rest, mode))


def _boundary(state: State, event: Event) -> State:
    boundary: Mapping[str, Any] = event.data.get("boundary") or {}
    return from_json(boundary["state"]) if "state" in boundary else state


_STEPS: Mapping[str, Callable[[State, Event], State]] = {
    "user": said.user,
    "assistant": said.assistant,
    "plan": _plan,
    "tool_started": outcomes.started,
    "tool_result": outcomes.result,
    "permission": _permission,
    "update": _update,
    "state_edit": edits.edit,
    "compaction": _boundary,
}
