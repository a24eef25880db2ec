"""Compaction of one session: asks the engine for a boundary, and writes it as one event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from novacore.engine.boundary import Boundary, boundary_to_json
from novacore.engine.compact import Refused, compact
from novacore.engine.rows import Row
from novacore.session.parts import SessionParts
from novacore.session.record import Record
from novacore.session.recovery import recovery_text
from novacore.session.window import Window
from novacore.types import Trigger

BREAKER = 3


class Compacting:
    """Makes boundaries, and knows when trying again in the soft zone is useless.

    Three refusals in a row open the breaker; it is folded from the log, so it survives a resume.
    A success, a manual compaction or 5,000 tokens of growth (hysteresis) let it try again.
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
        recovery = recovery_text(
            state,
            self._parts.context.policy,
            max_tokens=self._parts.budget.recovery,
            count=self._parts.counter.base,
            mask=lambda text: self._parts.context.masker.mask(text).text,
            key=self._parts.key,
        )
        made = await compact(
            self._parts.host,
            _items(self._window_rows()),
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
        )
        if isinstance(made, Refused):
            return self._refused(made, trigger, before)
        return self._write(made, baseline, recovery, trigger, before)

    def _write(
        self,
        made: Boundary,
        baseline: Mapping[str, Any],
        recovery: str,
        trigger: Trigger,
        before: int,
    ) -> Mapping[str, Any]:
        data = {
            "boundary": boundary_to_json(made),
            "baseline": dict(baseline),
            "recovery": recovery,
        }
        event = self._record.append("compaction", data, sync=True)
        self._parts.folder.reasoning.clear()
        self._tried_at = 0
        return {
            "id": event.id,
            "before": before,
            "after": self._window.estimate,
            "plugin": made.plugin,
            "trigger": trigger,
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
            if event.kind == "compaction":
                break
            if event.kind == "fault" and event.data.get("hook") == "compact":
                failures += 1
        return failures

    def _window_rows(self) -> tuple[Row, ...]:
        return self._record.view.rows

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
