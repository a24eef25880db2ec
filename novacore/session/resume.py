"""Opening a session again: calls without results are closed once, with the true reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from novacore.engine.normalise import Dangling, dangling
from novacore.session.record import Record


def close_dangling(record: Record) -> tuple[str, ...]:
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
        record.append("tool_result", _lost(call, known) if known else _open(call), sync=True)
    return tuple(call.call_id for call in closed)


def _open(call: Dangling) -> dict[str, Any]:
    return _result(call, call.text) | {"status": "interrupted", "is_error": True}


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
