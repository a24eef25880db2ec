"""Calls that a process or a turn left without results are closed once, with the true reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from novacore.engine.normalise import NOT_STARTED, Dangling, dangling
from novacore.session.record import Record

Why = Literal["died", "stopped", "broke_off"]
"""The process ended; the user stopped the turn; the answer that made the call was not complete."""

_NOT_STARTED: Mapping[Why, tuple[str, str]] = {
    "stopped": ("user_stopped", "{name} was not started: the user stopped the turn before it."),
    "broke_off": (
        "interrupted",
        "[interrupted] {name} was not started: the answer that called it broke off. Nothing was "
        "done; call it again if it is still needed.",
    ),
}


def close_dangling(record: Record, why: Why = "died") -> tuple[str, ...]:
    """Append one synthetic result for each call that has none; the ids of the calls.

    Nothing is run again. What was started and is not known to have finished stays in the state as
    an unknown side effect, to be checked before it is repeated.
    """
    finished = {
        str(e.data["finished"]): e.data
        for e in record.events
        if e.kind == "checkpoint" and "finished" in e.data
    }
    closed = dangling(record.events)
    for call in closed:
        known = finished.get(call.call_id)
        made = _lost(call, known) if known else _open(call, why)
        record.append("tool_result", made, sync=True)
    return tuple(call.call_id for call in closed)


def broken_off(record: Record, stop: str) -> dict[str, Any] | None:
    """The ``update`` that tells the model why its last answer ends where it does, if it is cut."""
    newest = next((e for e in reversed(record.events) if e.kind == "assistant"), None)
    if newest is None or newest.turn != record.turn or not newest.data.get("incomplete"):
        return None
    why = (
        "the user stopped the turn" if stop == "cancelled" else "the connection to the model broke"
    )
    text = f"<update>\nYour answer above is not complete: {why} while you wrote it.\n</update>"
    return {"scope": "notice", "text": text}


def _open(call: Dangling, why: Why) -> dict[str, Any]:
    status, text = "interrupted", call.text
    if call.reason == NOT_STARTED and why in _NOT_STARTED:
        status, words = _NOT_STARTED[why]
        text = words.format(name=call.name)
    return _result(call, text) | {"status": status, "is_error": True}


def _lost(call: Dangling, known: Mapping[str, Any]) -> dict[str, Any]:
    """It had ended before the process died; only its output was not recorded."""
    code = known.get("exit_code")
    ended = f"exit code {code}" if code is not None else f"status {known['status']}"
    text = f"It finished ({ended}) before the program stopped; its output was lost."
    return _result(call, text) | {"status": known["status"], "exit_code": code, "is_error": False}


def _result(call: Dangling, text: str) -> dict[str, Any]:
    return {
        "call_id": call.call_id,
        "name": call.name,
        "text": text,
        "reason": call.reason,
        "synthetic": True,
    }
