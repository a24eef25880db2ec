"""Logs of commands leave the message at once; what failed, why and where stays."""

from __future__ import annotations

from novacore import Hooks, override
from novacore.logs import excerpt, is_log
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
    per_token = len(output.text) / max(1, output.tokens)
    room = int(max(0, limits.log_shown_tokens - _AROUND) * per_token)
    shown = excerpt(output.text, min(limits.excerpt_chars, room))
    return SpillItem(output_id=output.id, ranges=shown.ranges, note=shown.note)
