"""Compaction of one session: asks the engine for a boundary, and writes it as one event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from novacore.engine.boundary import Boundary, boundary_to_json
from novacore.engine.compact import Refused, compact
from novacore.engine.rows import Row
from novacore.errors import DiskRefused
from novacore.host import Answer
from novacore.session.inputs import plugin_rows
from novacore.session.parts import SessionParts
from novacore.session.record import Record
from novacore.session.recovery import recovery_text
from novacore.session.window import Window
from novacore.types import Trigger

BREAKER = 3


class Compacting:
    """Makes boundaries, and knows when trying again in the soft zone is useless.

    Three refusals in a row open the breaker; it is folded from the log, so it survives a resume,
    and it is closed by a success, a manual attempt or another model. Between two attempts the
    window must have grown by the hysteresis (5,000 tokens).
    """

    def __init__(self, record: Record, parts: SessionParts, window: Window) -> None:
        self._record = record
        self._parts = parts
        self._window = window
        self._tried_at = 0

    def may_try(self, used: int) -> bool:
        """Whether an attempt in the soft zone makes sense at ``used`` tokens."""
        if self._failures() >= BREAKER:
            return False
        return self._tried_at == 0 or used - self._tried_at >= self._parts.budget.hysteresis

    async def run(
        self, trigger: Trigger, baseline: Mapping[str, Any], *, focus: str = ""
    ) -> Mapping[str, Any]:
        """One transaction: a boundary event, or nothing changed and a ``fault`` event.

        Gives ``{id, before, after, plugin, trigger, verdict}``; ``id`` is empty when refused.
        Raises PinnedOverflow in the hard zone when what must stay does not fit.
        """
        before = self._window.used
        self._tried_at = before
        state = self._record.state
        items = _items(self._record.view.rows)
        recovery = recovery_text(
            state,
            self._parts.context.policy,
            shown=self._sure_tail(items),
            max_tokens=self._parts.budget.recovery,
            count=self._parts.counter.base,
            mask=lambda text: self._parts.context.masker.mask(text).text,
            key=self._parts.key,
        )
        made = await compact(
            self._parts.host,
            items,
            state,
            self._parts.budget,
            trigger=trigger,
            focus=focus,
            session=self._parts.ref,
            model=self._parts.info.id,
            used=before,
            ground_tokens=self._ground_tokens(baseline, recovery),
            boundaries=[event.data["boundary"] for event in self._record.boundaries],
            lookup=self._record.event,
            between=self._record.between,
            count=self._parts.counter.base,
            estimate=self._window.estimate,
            transcript=str(self._parts.folder.log.path),
            output_lines=self._record.output_lines,
            heard=self._heard,
        )
        if isinstance(made, Refused):
            return self._refused(made, trigger, before)
        data = {
            "boundary": boundary_to_json(made),
            "baseline": dict(baseline),
            "recovery": recovery,
            "focus": focus,
        }
        return self._write(made, data)

    def _heard(self, answer: Answer) -> None:
        for row in plugin_rows([answer]):
            self._parts.trace.add("plugin", **row)

    def _write(self, made: Boundary, data: Mapping[str, Any]) -> Mapping[str, Any]:
        event = self._record.append("compaction", data, sync=True)
        # What the disk does not let go fits the prefix of no request any more.
        with suppress(DiskRefused):
            self._parts.folder.reasoning.clear()
        self._tried_at = 0
        return {
            "id": event.id,
            "before": made.tokens_before,
            "after": made.tokens_after,
            "plugin": made.plugin,
            "trigger": made.trigger,
            "verdict": made.verdict,
        }

    def _refused(self, made: Refused, trigger: Trigger, before: int) -> Mapping[str, Any]:
        self._record.append("fault", {"hook": "compact", "reason": made.reason, "trigger": trigger})
        return {
            "id": "",
            "before": before,
            "after": before,
            "plugin": "",
            "trigger": trigger,
            "verdict": f"refused: {made.reason}",
        }

    def _failures(self) -> int:
        failures = 0
        for event in reversed(self._record.events):
            refused = event.kind == "fault" and event.data.get("hook") == "compact"
            other_model = event.kind == "assistant" and event.data["model"] != self._parts.info.id
            manual = refused and event.data.get("trigger") == "manual"
            if event.kind == "compaction" or other_model or manual:
                break
            failures += refused
        return failures

    def _sure_tail(self, items: Sequence[tuple[str, int]]) -> frozenset[str]:
        """Events that stay verbatim whatever cut is chosen: the tail's minimum."""
        budget, held = self._parts.budget, 0
        sure: set[str] = set()
        for event, tokens in reversed(items):
            held += self._parts.counter.scale(tokens)
            if sure and held > budget.tail_max:
                break
            sure.add(event)
            if held >= budget.tail_min:
                break
        return frozenset(sure)

    def _ground_tokens(self, baseline: Mapping[str, Any], recovery: str) -> int:
        count = self._parts.counter.base
        told = sum(count(str(part["text"])) + 4 for part in baseline["parts"])
        return self._window.ground + told + count(recovery)


def _items(rows: tuple[Row, ...]) -> list[tuple[str, int]]:
    """Event ids of the history with what each costs; the head is rebuilt, so it is left away."""
    costs: dict[str, int] = {}
    for row in rows:
        if not row.head:
            costs[row.event] = costs.get(row.event, 0) + row.fragment.tokens
    return list(costs.items())
