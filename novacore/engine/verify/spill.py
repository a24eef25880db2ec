"""What a spill plan must keep."""

from __future__ import annotations

from typing import Any

from novacore.errors import ContractError
from novacore.types import LineRange, SpillItem, SpillPlan, SpillRequest

MAX_NOTE = 2_000
"""Characters of a note; the whole replacement has 5,000."""


def verify_spill(answer: Any, request: SpillRequest) -> None:
    """A ``SpillPlan`` whose items name outputs of the request, and lines that these have.

    Exempt outputs are no breach: the host drops them. Raises ContractError.
    """
    if type(answer) is not SpillPlan:
        raise ContractError(f"a SpillPlan is needed, not a {type(answer).__name__}")
    texts = {output.id: output.text for output in request.outputs}
    for item in _sequence(answer.items, SpillItem, "items"):
        if item.output_id not in texts:
            raise ContractError(f"no output {str(item.output_id)[:80]!r} was in the request")
        if type(item.note) is not str or len(item.note) > MAX_NOTE:
            raise ContractError(f"a note is a string of at most {MAX_NOTE:,} characters")
        text = texts[item.output_id]
        last = text.count("\n") + (not text.endswith("\n")) if text else 0
        for lines in _sequence(item.ranges, LineRange, "ranges"):
            _verify_range(lines, last)


def _sequence(value: Any, kind: type[Any], name: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple) or any(type(each) is not kind for each in value):
        raise ContractError(f"`{name}` is not a tuple of {kind.__name__}")
    return value


def _verify_range(lines: LineRange, last: int) -> None:
    start, end = lines.start_line, lines.end_line
    if type(start) is not int or type(end) is not int or not 1 <= start <= end <= last:
        raise ContractError(f"lines {start!r}-{end!r} are not inside 1-{last}")
