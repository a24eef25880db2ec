"""A small session, its view, and one tool: what requests and manifests are made of."""

from __future__ import annotations

from engine.events_kit import Log, call, text
from novacore.engine.baseline import BaselineSection, full_update
from novacore.engine.view import View
from novacore.types import ToolSpec

TOOL = ToolSpec(name="read", description="Reads.", schema={"type": "object", "properties": {}})
BASELINE = full_update(
    [
        BaselineSection(
            id="environment", kind="environment", title="it", text="<env/>", uri="u", version="v"
        )
    ]
)


def view_of(events):
    view = View(count=len, reasoning=lambda event, prefix: {}, rebuild=lambda event: ((), ()))
    for event in events:
        view.add(event)
    return view


def a_session(steps):
    """A log with a baseline, a question, and ``steps`` calls with their results."""
    log = Log()
    log.add("update", **BASELINE)
    log.user("What is in it?")
    for number in range(steps):
        log.assistant(text(f"step {number}"), call(f"c{number}", path="a.py"))
        log.result(f"c{number}", f"content {number}")
    return log
