"""The window of one session: builds each request, counts it, and writes its manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from novacore.engine import manifest
from novacore.engine.assemble import ASSEMBLER_VERSION, Assembled, assemble, seed_of
from novacore.engine.system import SYSTEM_TEXT
from novacore.session.inputs import definition_tokens
from novacore.session.parts import SessionParts
from novacore.session.record import Record
from novacore.tokens import estimate
from novacore.types import CallCost, LeftOut, Mark, ToolSpec


class Window:
    """Requests of one session, in order. A new epoch starts with the first one after a boundary."""

    def __init__(self, record: Record, parts: SessionParts) -> None:
        self._record = record
        self._parts = parts
        sent = [row for row in parts.folder.snapshots.requests() if "request" in row]
        self.number = int(sent[-1]["request"]) if sent else 0
        self.epoch = int(sent[-1]["epoch"]) if sent else 0
        self.tools: tuple[ToolSpec, ...] = ()
        self.assembled: Assembled | None = None
        self._mark: Mark | None = None
        self._anchor: tuple[int, int] | None = None
        self.ground = 0
        """Estimated tokens of what stands before the messages: tools and system text."""
        self._masked: dict[str, int] = {}
        self._left_out: list[LeftOut] = []
        self._written = 0

    def start_epoch(self, tools: Sequence[ToolSpec]) -> None:
        """Freeze the tools for the coming epoch; the next request is built from nothing."""
        self.epoch += 1
        self.tools = tuple(tools)
        self.assembled = None
        self._mark = None
        self._anchor = None
        self._written = 0
        self._record.origin = (self._parts.provider.name, self._parts.info.id)
        self._record.reseed(seed_of(self._parts.info.id, self.tools))
        self.ground = sum(self._definition_tokens().values())

    def leave_out(self, items: Sequence[LeftOut]) -> None:
        """Candidates that the next request does not hold, for its manifest."""
        self._left_out.extend(items)

    def masked(self, counts: Mapping[str, int]) -> None:
        """Secrets that were masked on their way into the window."""
        for kind, count in counts.items():
            self._masked[kind] = self._masked.get(kind, 0) + count

    @property
    def estimate(self) -> int:
        """Tokens of the next request by the class estimate alone."""
        return self.ground + sum(row.fragment.tokens for row in self._record.view.rows)

    @property
    def used(self) -> int:
        """Tokens of the next request: the last real usage, and an estimate of what came since."""
        if self._anchor is None:
            return self._parts.counter.scale(self.estimate)
        real, estimated = self._anchor
        return real + self._parts.counter.scale(max(0, self.estimate - estimated))

    def build(self, reasons: Mapping[str, str]) -> Assembled:
        """The next request. ``reasons`` says why a call has no result."""
        made = assemble(
            self._record.view.rows,
            model=self._parts.info.id,
            tools=self.tools,
            max_tokens=min(self._parts.budget.out, self._parts.info.max_output),
            previous_mark=self._mark,
            reasons=reasons,
        )
        self.number += 1
        self._save(made)
        self.assembled = made
        self._mark = made.newest_mark
        return made

    def answered(self, cost: CallCost) -> None:
        """Take the provider's usage as the new anchor, and learn from it."""
        usage = cost.usage
        if not usage.estimated:
            sent = usage.occupancy - usage.output
            self._parts.counter.learn(self.estimate, sent)
            self._anchor = (sent, self.estimate)
        row = {"answer_to": self.number, "usage": asdict(usage), "dollars": cost.dollars}
        self._parts.folder.snapshots.append_request(row)

    def _save(self, made: Assembled) -> None:
        snapshots = self._parts.folder.snapshots
        places = manifest.positions_of(made.rows)
        fresh = {i: place for i, place in places.items() if i >= self._written}
        before = self._definitions() if self._written == 0 else ()
        rows = manifest.fragment_rows(before, made.rows[self._written :], _shifted(fresh))
        fresh_rows = made.rows[self._written :]
        contents = [*(f.content for f in before), *(r.fragment.content for r in fresh_rows)]
        for row, content in zip(rows, contents, strict=True):
            row["blob"] = snapshots.put({"text": content})
        changed = manifest.changed_section(self.assembled, made)
        taken = self._parts.trace.take()
        snapshots.append_request(
            {
                "request": self.number,
                "epoch": self.epoch,
                "turn": self._record.turn,
                "assembler": ASSEMBLER_VERSION,
                "model": made.request.model,
                "provider": self._parts.provider.name,
                "window": self._parts.info.window,
                "window_source": self._parts.info.window_source,
                "soft": self._parts.budget.soft,
                "hard": self._parts.budget.hard,
                "reserve": self._parts.budget.out,
                "used": self.used,
                "counting": self._parts.counter.method,
                "appended": rows,
                "left_out": manifest.left_out_rows(self._left_out),
                "plugins": [row for row in taken if row["kind"] == "plugin"],
                "masked": [{"kind": kind, "n": n} for kind, n in sorted(self._masked.items())],
                "repairs": list(made.repairs),
                "changed_section": changed,
                "marks": [asdict(mark) for mark in made.request.marks],
                "predicted_read": self._anchor[0] if self._anchor and changed is None else 0,
            }
        )
        self._left_out = []
        self._written = len(made.rows)

    def _definitions(self) -> tuple[Any, ...]:
        return manifest.definitions(self.tools, self._definition_tokens())

    def _definition_tokens(self) -> dict[str, int]:
        return {
            **{tool.name: definition_tokens(tool) for tool in self.tools},
            "system": estimate(SYSTEM_TEXT),
        }


def _shifted(places: Mapping[int, tuple[int, int]]) -> dict[int, tuple[int, int]]:
    first = min(places, default=0)
    return {index - first: place for index, place in places.items()}
