"""What a choice of tools must keep."""

from __future__ import annotations

from typing import Any

from novacore.errors import ContractError
from novacore.types import ToolChoice, ToolsRequest


def verify_tools(answer: Any, request: ToolsRequest) -> None:
    """Only names of the request, each in one list; no required tool is deferred or hidden.

    Raises ContractError that names every breach: an answer that lies in part is not used in part.
    """
    if type(answer) is not ToolChoice:
        raise ContractError(f"select_tools gives a ToolChoice, not a {type(answer).__name__}")
    lists = {name: getattr(answer, name) for name in ("keep", "defer", "hide")}
    for name, names in lists.items():
        if type(names) is not tuple or not all(type(n) is str for n in names):
            raise ContractError(f"`{name}` must be a tuple of names")
    if type(answer.reason) is not str:
        raise ContractError("`reason` must be a string")
    if breaches := _breaches(lists, request):
        raise ContractError("; ".join(breaches))


def _breaches(lists: dict[str, tuple[str, ...]], request: ToolsRequest) -> list[str]:
    named = [name for names in lists.values() for name in names]
    offered = {tool.name for tool in request.tools}
    required = {tool.name for tool in request.tools if tool.required}
    unknown = sorted(set(named) - offered)
    dropped = sorted(required & {*lists["defer"], *lists["hide"]})
    twice = sorted({name for name in named if named.count(name) > 1})
    found = []
    if unknown:
        found.append(f"no such tool: {_some(unknown)}")
    if dropped:
        found.append(f"required, and cannot be taken away: {_some(dropped)}")
    if twice:
        found.append(f"named twice: {_some(twice)}")
    return found


def _some(names: list[str]) -> str:
    shown = ", ".join(name[:64] for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
