"""Logs of commands leave the message at once; what failed, why and where stays."""

from __future__ import annotations

from novacore import Hooks, override
from novacore.logs import Analysis, Excerpt, analyse, excerpt_of, is_log, shown
from novacore.tokens import estimate
from novacore.types import SpillItem, SpillLimits, SpillPlan, SpillRequest, ToolOutput

_AROUND = 150
"""Estimated tokens of what the host says around an excerpt: sizes, place, exit code."""


class SpillLogs(Hooks):
    """Spills each log over ``limits.log_tokens`` and shows at most ``limits.log_shown_tokens``."""

    @override
    def spill(self, request: SpillRequest) -> SpillPlan | None:
        """The failing cases, the first cause with its place, the verdict, and both ends."""
        logs = [output for output in request.outputs if _is_large_log(output, request.limits)]
        items = tuple(_item(output, request.limits) for output in logs)
        return SpillPlan(items=items, reason="logs") if items else None


def _is_large_log(output: ToolOutput, limits: SpillLimits) -> bool:
    command = output.call.get("command")
    return (
        not output.exempt
        and output.tokens > limits.log_tokens
        and isinstance(command, str)
        and is_log(output.text, command, output.exit_code)
    )


def _item(output: ToolOutput, limits: SpillLimits) -> SpillItem:
    chosen = _within(analyse(output.text), limits)
    return SpillItem(output_id=output.id, ranges=chosen.ranges, note=chosen.note)


def _within(analysis: Analysis, limits: SpillLimits) -> Excerpt:
    """The largest excerpt that leaves the host room for what it says itself."""
    most, room = max(0, limits.log_shown_tokens - _AROUND), limits.excerpt_chars
    while True:
        chosen = excerpt_of(analysis, room)
        tokens = estimate(shown(analysis, chosen, room))
        if tokens <= most or room < 100:
            return chosen
        room = min(room * 19 // 20, room * most // tokens)
