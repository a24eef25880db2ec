"""Which tools an epoch offers: hide over keep over defer, and never more than they may cost.

Deferral needs a tool that finds what was deferred. Until there is one, `defer` is recorded and the
tool is offered like a kept one: nobody loses a tool that he has no way to get back.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from novacore.engine.verify.tools import verify_tools
from novacore.host import Answer, Fault, Host
from novacore.types import LeftOut, Source, ToolChoice, ToolInfo, ToolsRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsChosen:
    """Names to offer, in the order of the request; ``left_out`` says who hid a tool and why."""

    offered: tuple[str, ...]
    deferred: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    faults: tuple[Fault, ...] = ()
    answers: tuple[Answer, ...] = ()


async def select_tools(host: Host, request: ToolsRequest, *, turn: int = 0) -> ToolsChosen:
    """Ask all plugins once, at a boundary; a refused answer counts as none.

    Raises RequiredPluginFailed.
    """
    check = functools.partial(verify_tools, request=request)
    pending = host.start("select_tools", request, check, turn=turn)
    answers = tuple([await one.answer() for one in pending])
    hidden = _hidden(answers)
    kept = [tool for tool in request.tools if tool.name not in hidden]
    for tool in over_ceiling(kept, ceiling(request.token_budget, request.tools)):
        hidden[tool.name] = "budget: the definitions of all tools are over their share"
    return ToolsChosen(
        offered=tuple(tool.name for tool in request.tools if tool.name not in hidden),
        deferred=_deferred(answers, hidden),
        left_out=tuple(
            LeftOut(
                id=f"tool:{tool.name}",
                source=Source(uri=f"tool:{tool.name}"),
                reason=hidden[tool.name],
                tokens=tool.tokens,
            )
            for tool in request.tools
            if tool.name in hidden
        ),
        faults=tuple(answer.fault for answer in answers if answer.fault is not None),
        answers=answers,
    )


def ceiling(share: int, tools: Iterable[ToolInfo]) -> int:
    """Tokens that all definitions may take: their share, never less than the built-ins need."""
    return max(share, sum(tool.tokens for tool in tools if _stays(tool)))


def over_ceiling(tools: Sequence[ToolInfo], most: int) -> tuple[ToolInfo, ...]:
    """External tools to take away until the rest fits: least used first, among those largest."""
    total = sum(tool.tokens for tool in tools)
    gone = []
    candidates = (tool for tool in tools if not _stays(tool))
    for tool in sorted(candidates, key=lambda t: (t.found, t.calls, -t.tokens, t.server, t.name)):
        if total <= most:
            break
        gone.append(tool)
        total -= tool.tokens
    return tuple(gone)


def _stays(tool: ToolInfo) -> bool:
    return tool.required or not tool.server


def _choices(answers: Iterable[Answer]) -> list[tuple[str, ToolChoice]]:
    return [(answer.plugin, answer.value) for answer in answers if answer.value is not None]


def _hidden(answers: Iterable[Answer]) -> dict[str, str]:
    hidden: dict[str, str] = {}
    for plugin, choice in _choices(answers):
        why = f"hidden by {plugin}" + (f": {choice.reason}" if choice.reason else "")
        for name in choice.hide:
            hidden.setdefault(name, why)
    return hidden


def _deferred(answers: Iterable[Answer], hidden: dict[str, str]) -> tuple[str, ...]:
    choices = [choice for _, choice in _choices(answers)]
    kept = {name for choice in choices for name in choice.keep}
    wanted = {name for choice in choices for name in choice.defer}
    return tuple(sorted(wanted - kept - hidden.keys()))
