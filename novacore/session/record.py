"""A session's log, and everything that is folded from it: state, view, what the model was told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from novacore.engine.baseline import BaselineSection, Told, sections_after, told_after
from novacore.engine.epoch import head_rows
from novacore.engine.restate import Stated, stated_after
from novacore.engine.rows import Row
from novacore.engine.state import fold
from novacore.engine.view import View
from novacore.session.masking import mask_record
from novacore.types import Event, Reasoning, State

if TYPE_CHECKING:
    from novacore.store.artifacts import ArtifactStore
    from novacore.store.log import EventLog
    from novacore.store.reasoning import ReasoningStore


class Record:
    """The truth of one session. ``append`` is the only way in; everything else is derived.

    ``count`` estimates tokens, ``mask`` hides secrets; reasoning blobs come back only for the
    provider and model that made them, behind the same prefix.
    """

    def __init__(
        self,
        log: EventLog,
        *,
        count: Callable[[str], int],
        mask: Callable[[str], str],
        reasoning: ReasoningStore,
        artifacts: ArtifactStore,
    ) -> None:
        self._log = log
        self._mask = mask
        self._count = count
        self._reasoning = reasoning
        self._artifacts = artifacts
        self._origin = ("", "")
        self.state = State()
        self.told: Told = {}
        self.sections: Mapping[str, BaselineSection] = {}
        """The baseline as the model was told it."""
        self.stated = Stated()
        self.mode = ""
        """As the model was told it last."""
        self.turn = 0
        self.boundaries: list[Event] = []
        self._by_id: dict[str, int] = {}
        self.view = self._empty_view("")

    @property
    def events(self) -> Sequence[Event]:
        """Every event of the session, in order."""
        return self._log.events

    def replay(self) -> None:
        """Fold what the log holds already; called once, after a successful load."""
        for index, event in enumerate(self._log.events):
            self._fold(index, event)
        self.rebuild_view()

    def append(
        self, kind: str, data: Mapping[str, Any], *, by: str = "host", sync: bool = False
    ) -> Event:
        """Mask, write and fold one event. A disk that refuses keeps it in memory (see the log)."""
        event = self._log.append(
            kind, mask_record(data, self._mask), by=by, turn=self.turn, sync=sync
        )
        self._fold(len(self._log.events) - 1, event)
        self.view.add(event)
        return event

    def event(self, id: str) -> Event:
        """The event of that id; KeyError when this session has none."""
        return self._log.events[self._by_id[id]]

    def between(self, first: str, last: str) -> Sequence[Event]:
        """Events from ``first`` to ``last``, both included."""
        return self._log.events[self._by_id[first] : self._by_id[last] + 1]

    def stand_on(self, provider: str, model: str, seed: str) -> None:
        """Say who is asked next, and what stands before the messages.

        Reasoning blocks come back only to the model that made them, behind the same prefix, so
        the view is folded again when one of the three is new.
        """
        if (self._origin, self.view.seed) != ((provider, model), seed):
            self._origin = (provider, model)
            self.rebuild_view(seed)

    def rebuild_view(self, seed: str | None = None) -> None:
        """Fold the view again from the log, after reasoning was dropped or the model changed."""
        self.view = self._empty_view(self.view.seed if seed is None else seed)
        start = self._by_id[self.boundaries[-1].id] if self.boundaries else 0
        for event in self._log.events[start:]:
            self.view.add(event)

    def output_lines(self, call_id: str, start: int, end: int) -> str:
        """Lines of a spilled output by its call's id, 1-based and inclusive, at most 50,000 chars.

        Raises KeyError when that output was not spilled.
        """
        spilled = (e for e in reversed(self.events) if e.kind == "spill")
        artifact = next(
            (str(e.data["artifact"]) for e in spilled if e.data["output_id"] == call_id), None
        )
        if artifact is None:
            raise KeyError(call_id)
        return self._artifacts.read_lines(artifact, start, end, max_chars=50_000).text

    def _fold(self, index: int, event: Event) -> None:
        self._by_id[event.id] = index
        self.turn = max(self.turn, event.turn)
        self.state = fold(self.state, event)
        self.told = told_after(self.told, event)
        self.sections = sections_after(self.sections, event)
        if event.kind in ("session", "update"):
            self.mode = str(event.data.get("mode") or self.mode)
        self.stated = stated_after(self.stated, event, self._count)
        if event.kind == "compaction":
            self.boundaries.append(event)

    def _empty_view(self, seed: str) -> View:
        return View(
            count=self._count, reasoning=self._kept_reasoning, rebuild=self._rebuild, seed=seed
        )

    def _kept_reasoning(self, event: Event, prefix: str) -> Mapping[int, Reasoning]:
        provider, model = self._origin
        return {
            int(row["index"]): Reasoning(data=row["data"])
            for row in self._reasoning.get(provider, model, prefix)
        }

    def _rebuild(self, event: Event) -> tuple[Sequence[Row], Sequence[Event]]:
        start = self._by_id[event.data["boundary"]["tail_start"]["event"]]
        tail = self._log.events[start : self._by_id[event.id]]
        head = head_rows(
            event,
            self.event,
            self._count,
            output_lines=self.output_lines,
        )
        return list(head), tail
