"""Keeps every built-in tool, and hides external ones that do not fit into the tools' share."""

from __future__ import annotations

from novacore import Hooks, override
from novacore.types import ToolChoice, ToolInfo, ToolsRequest


class ToolsDefault(Hooks):
    """Hides the least used external tools first, and among those the largest."""

    @override
    def select_tools(self, request: ToolsRequest) -> ToolChoice:
        """Equal requests, in whatever order, give equal choices."""
        built_in = [tool for tool in request.tools if _is_built_in(tool)]
        left = request.token_budget - sum(tool.tokens for tool in built_in)
        hide = _beyond([tool for tool in request.tools if not _is_built_in(tool)], left)
        reason = f"their definitions do not fit into {request.token_budget:,} tokens"
        return ToolChoice(
            keep=tuple(sorted(tool.name for tool in built_in)),
            hide=tuple(sorted(hide)),
            reason=reason if hide else "",
        )


def _is_built_in(tool: ToolInfo) -> bool:
    return tool.required or not tool.server


def _beyond(external: list[ToolInfo], left: int) -> list[str]:
    """Names to hide until the rest fits into ``left`` tokens."""
    total = sum(tool.tokens for tool in external)
    hide = []
    for tool in sorted(external, key=lambda t: (t.found, t.calls, -t.tokens, t.server, t.name)):
        if total <= left:
            break
        hide.append(tool.name)
        total -= tool.tokens
    return hide
