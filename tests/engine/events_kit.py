"""Events for tests: a tiny log without a disk."""

from __future__ import annotations

from novacore.types import Event


class Log:
    """Makes events with running ids ``e1``, ``e2``... and keeps them."""

    def __init__(self):
        self.events = []

    def add(self, kind, by="host", turn=1, **data):
        seq = len(self.events) + 1
        event = Event(
            seq=seq, id=f"e{seq}", ts="2026-01-01T00:00:00Z", kind=kind, by=by, turn=turn, data=data
        )
        self.events.append(event)
        return event

    def user(self, text):
        return self.add("user", by="user", text=text)

    def assistant(self, *blocks):
        return self.add("assistant", by="model", blocks=list(blocks))

    def result(self, call_id, text="ok", **more):
        return self.add("tool_result", by="tool", call_id=call_id, name="read", text=text, **more)


def text(words):
    return {"type": "text", "text": words}


def call(id, name="read", **arguments):
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}
