"""The window of one session: builds each request, counts it, and writes its manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from novacore.engine import manifest
from novacore.engine.assemble import ASSEMBLER_VERSION, Assembled, assemble, seed_of
from novacore.engine.normalise import Sound
from novacore.engine.system import SYSTEM_TEXT
from novacore.engine.view import prefix_of
from novacore.session.anchors import Anchor, anchor_of, anchors_in
from novacore.session.inputs import definition_tokens
from novacore.session.parts import SessionParts
from novacore.session.record import Record
from novacore.tokens import estimate
from novacore.types import CallCost, LeftOut, Mark, ToolSpec, Usage


class Window:
    """Requests of one session, in order. A new epoch starts with the first one after a boundary.

    A resumed session goes on in the epoch of its last request when nothing of that changed.
    """

    def __init__(self, record: Record, parts: SessionParts) -> None:
        self._record = record
        self._parts = parts
        sent = [row for row in parts.folder.snapshots.requests() if "request" in row]
        self.number = int(sent[-1]["request"]) if sent else 0
        self.epoch = int(sent[-1]["epoch"]) if sent else 0
        self._last = sent[-1] if sent else {}
        self.tools: tuple[ToolSpec, ...] = ()
        self.assembled: Assembled | None = None
        self._mark: Mark | None = None
        self._anchor: Anchor | None = None
        self._sound: Sound = {}
        self._asked = 0
        """Estimated tokens of the newest request, before its answer."""
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
        self._sound = {}
        self._written = 0
        provider, model = self._parts.provider.name, self._parts.info.id
        self._record.stand_on(provider, model, seed_of(model, self.tools))
        self.ground = sum(self._definition_tokens().values())

    def resume(self, tools: Sequence[ToolSpec]) -> None:
        """Take up the epoch of the last request, or start one where that request changed."""
        self.start_epoch(tools)
        anchor = None
        counter = self._parts.counter
        for anchor in anchors_in(self._record.events, self._parts.info.id, counter.base_name):
            self._parts.counter.learn(anchor.asked, anchor.sent)
        last, view = self._last, self._record.view
        size = int(last.get("rows", 0))
        if not size or prefix_of(view.seed, view.rows[:size]) != last["prefix"]:
            return
        self.epoch = int(last["epoch"])
        self._written = size
        self._mark = Mark(**last["marks"][-1])
        if anchor is not None and anchor.request == self.number:
            self._anchor = anchor

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
        return self.ground + self._record.view.tokens

    @property
    def used(self) -> int:
        """Tokens of the next request: the last real usage, and an estimate of what came since."""
        if self._anchor is None:
            return self._parts.counter.scale(self.estimate)
        added = max(0, self.estimate - self._anchor.counted)
        return self._anchor.occupancy + self._parts.counter.scale(added)

    def build(self, reasons: Mapping[str, str]) -> Assembled:
        """The next request. ``reasons`` says why a call has no result."""
        made = assemble(
            self._record.view.rows,
            model=self._parts.info.id,
            tools=self.tools,
            max_tokens=min(self._parts.budget.out, self._parts.info.max_output),
            previous_mark=self._mark,
            reasons=reasons,
            sound=self._sound,
        )
        self.number += 1
        self._asked = self.estimate
        self._save(made)
        self.assembled = made
        self._mark = made.newest_mark
        return made

    def answered(self, cost: CallCost, *, whole: bool = True) -> Mapping[str, int | str]:
        """Take the provider's usage as the new anchor, and learn from it.

        Gives what a later process needs to do the same: ``asked`` and ``counted``, the estimates of
        the request and of the window with its answer, and what made them. Not ``whole``: a part of
        the answer is in the window by its stub only, so that its real tokens are none of the
        window's.
        """
        if not whole:
            self._anchor = None
            self._note_usage(cost)
            return {}
        estimates = {"asked": self._asked, "counted": self.estimate}
        anchor = anchor_of(cost.usage, request=self.number, **estimates)
        if anchor is not None:
            self._parts.counter.learn(anchor.asked, anchor.sent)
            self._anchor = anchor
        self._note_usage(cost)
        return {**estimates, "counted_by": self._parts.counter.base_name}

    def _note_usage(self, cost: CallCost) -> None:
        row = {"answer_to": self.number, "usage": asdict(cost.usage), "dollars": cost.dollars}
        self._parts.folder.snapshots.append_request(row)

    def _save(self, made: Assembled) -> None:
        snapshots = self._parts.folder.snapshots
        places = manifest.positions_of(made.rows)
        fresh = {i: place for i, place in places.items() if i >= self._written}
        fresh_rows = made.rows[self._written :]
        before = self._definitions() if self._written == 0 else ()
        rows = manifest.fragment_rows(before, fresh_rows, _shifted(fresh))
        kept = [*map(manifest.snapshot, fresh_rows)]
        if before:
            kept = [*manifest.definition_snapshots(self.tools), *kept]
        for row, content in zip(rows, kept, strict=True):
            row["blob"] = snapshots.put(content)
        changed = manifest.changed_section(self.assembled, made)
        taken = self._parts.trace.take()
        predicted = self._anchor.sent if self._anchor and changed is None else 0
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
                "rows": len(made.rows),
                "prefix": self._record.view.prefix,
                "appended": rows,
                "left_out": manifest.left_out_rows(self._left_out),
                "plugins": [row for row in taken if row["kind"] == "plugin"],
                "masked": [{"kind": kind, "n": n} for kind, n in sorted(self._masked.items())],
                "repairs": list(made.repairs),
                "changed_section": changed,
                "marks": [asdict(mark) for mark in made.request.marks],
                "predicted_read": predicted,
                "forecast": self._forecast(predicted),
            }
        )
        self._left_out = []
        self._written = len(made.rows)

    def _forecast(self, cached: int) -> float | None:
        """Dollars of the next request before its answer; None where the price is unknown."""
        fresh = max(0, self.used - cached)
        written = self._parts.info.caching
        usage = Usage(cache_read=cached, cache_write=fresh) if written else Usage(uncached=fresh)
        return self._parts.cost(usage)

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
