"""Outputs over the limits of one result leave the message; both ends and what failed stay."""

from __future__ import annotations

from novacore import Hooks, override
from novacore.logs import excerpt
from novacore.types import SpillItem, SpillPlan, SpillRequest


class SpillFiles(Hooks):
    """Answers for every kind of output: files, listings, answers of servers, logs."""

    @override
    def spill(self, request: SpillRequest) -> SpillPlan | None:
        """A short head, the lines that speak of failure, and the tail, of what is too large."""
        limits = request.limits
        items = []
        for output in request.outputs:
            over = len(output.text) > limits.result_chars or output.tokens > limits.result_tokens
            if over and not output.exempt:
                shown = excerpt(output.text, limits.excerpt_chars)
                items.append(SpillItem(output_id=output.id, ranges=shown.ranges, note=shown.note))
        return SpillPlan(items=tuple(items), reason="over the limits") if items else None
