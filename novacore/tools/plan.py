"""The ``plan`` tool: the whole to-do list at each call, with ids that stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from novacore.types import PlanItem, ToolCall, ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext

MAX_ITEMS = 100
MAX_CHARS = 500

_STATUSES = ("open", "doing", "done", "cancelled")
_SIGNS = dict(zip(_STATUSES, ("[ ]", "[>]", "[x]", "[-]"), strict=True))

SPEC = ToolSpec(
    name="plan",
    description="Set the to-do list: all items each time. Keep the id of an item that stays.",
    schema={
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "maxItems": MAX_ITEMS,
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "maxLength": 40},
                        "text": {"type": "string", "minLength": 1, "maxLength": MAX_CHARS},
                        "status": {"enum": list(_STATUSES)},
                    },
                    "required": ["text", "status"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["items"],
        "additionalProperties": False,
    },
)


class PlanTool:
    """Changes nothing but its own list, so that it never asks."""

    spec = SPEC

    def question(self, call: ToolCall, context: ToolContext) -> None:
        """Nothing to ask."""

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Replace the list; the outcome holds all of it."""
        given = call.input["items"]
        counts = Counter(item["id"] for item in given if item.get("id"))
        twice = [id for id, count in counts.items() if count > 1]
        if twice:
            return ToolOutcome(
                text=f"The id {twice[0]!r} stands for two items; give each its own, or none.",
                status="failed",
                is_error=True,
            )
        plan = _with_ids(given, context.plan)
        context.plan = plan
        return ToolOutcome(text=_shown(plan), plan=plan)


def _with_ids(
    given: Sequence[Mapping[str, Any]], before: Sequence[PlanItem]
) -> tuple[PlanItem, ...]:
    """An item without an id keeps that of the old item with its words, else it gets a new one."""
    taken = {item["id"] for item in given if item.get("id")}
    by_text = {item.text: item.id for item in before if item.id not in taken}
    number = 0
    used = taken | {item.id for item in before}
    plan = []
    for item in given:
        id = item.get("id") or by_text.pop(item["text"], "")
        while not id:
            number += 1
            id = f"p{number}" if f"p{number}" not in used else ""
        used.add(id)
        plan.append(PlanItem(id=id, text=item["text"], status=item["status"]))
    return tuple(plan)


def _shown(plan: Sequence[PlanItem]) -> str:
    if not plan:
        return "The plan is empty."
    return "\n".join(f"{_SIGNS[item.status]} {item.id} {item.text}" for item in plan)
