"""Answers to queries: repeated ones say so, and stop at the third time."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from novacore.tools.files import printable
from novacore.types import Source, Status, ToolCall, ToolOutcome

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext

SHOWN = 2
"""Times that the same answer to the same query is shown."""
MAX_CHARS = 30_000


def answer(
    call: ToolCall,
    context: ToolContext,
    lines: list[str],
    *,
    status: Status,
    scope: str,
    other: str,
) -> ToolOutcome:
    """The outcome of a query; ``other`` names other axes to try when it keeps coming back."""
    text = context.masker.mask(printable(_bounded(lines))).text
    outcome = ToolOutcome(text=text, status=status, source=Source(uri=f"tool:{call.name}"))
    return counted(call, context, outcome, scope=scope, other=other)


def counted(
    call: ToolCall, context: ToolContext, outcome: ToolOutcome, *, scope: str, other: str
) -> ToolOutcome:
    """``outcome``, or what is said instead when this call keeps coming to the same."""
    query = json.dumps([call.name, call.input], sort_keys=True, default=str)
    times = context.ledger.note_answer(query, outcome.text)
    if outcome.status == "not_found" and times == 1:
        context.ledger.note_miss(call.name, query, scope)
    if times > SHOWN:
        text = (
            f"This is the {_ordinal(times)} time that you ask this, with the same answer each time;"
            f" it is not shown again. Try another axis: {other}."
        )
        return ToolOutcome(text=text, status="unchanged")
    if times == SHOWN:
        text = f"(You have asked this before; the answer is the same.)\n{outcome.text}"
        return replace(outcome, text=text)
    return outcome


def _bounded(lines: list[str]) -> str:
    used = 0
    for number, line in enumerate(lines):
        used += len(line) + 1
        if used > MAX_CHARS:
            return "\n".join([*lines[:number], f"... {len(lines) - number} more lines not shown"])
    return "\n".join(lines)


def _ordinal(number: int) -> str:
    return {3: "third", 4: "fourth", 5: "fifth"}.get(number, f"{number}th")
