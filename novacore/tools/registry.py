"""The tools that come with NovaCore, in the order in which a model sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from novacore.tools.context import Tool


def built_in_tools() -> dict[str, Tool]:
    """New instances by name. Each session needs its own: ``run`` holds background jobs."""
    from novacore.tools.edit import EditTool
    from novacore.tools.find import FindTool
    from novacore.tools.glob import GlobTool
    from novacore.tools.history import HistoryTool
    from novacore.tools.plan import PlanTool
    from novacore.tools.read import ReadTool
    from novacore.tools.run import RunTool
    from novacore.tools.search import SearchTool
    from novacore.tools.write import WriteTool

    tools: tuple[Tool, ...] = (
        ReadTool(),
        FindTool(),
        SearchTool(),
        GlobTool(),
        EditTool(),
        WriteTool(),
        RunTool(),
        PlanTool(),
        HistoryTool(),
    )
    return {tool.spec.name: tool for tool in tools}
