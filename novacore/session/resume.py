"""Opening a session again: calls without results are closed once, with the true reason."""

from __future__ import annotations

from novacore.engine.normalise import dangling
from novacore.session.record import Record


def close_dangling(record: Record) -> tuple[str, ...]:
    """Append one synthetic result for each call that has none; the ids of the calls.

    Nothing is run again. What was started and is not known to have finished stays in the state as
    an unknown side effect, to be checked before it is repeated.
    """
    closed = []
    for call in dangling(record.events):
        record.append(
            "tool_result",
            {
                "call_id": call.call_id,
                "name": call.name,
                "text": call.text,
                "is_error": True,
                "status": "interrupted",
                "reason": call.reason,
                "synthetic": True,
            },
            sync=True,
        )
        closed.append(call.call_id)
    return tuple(closed)
