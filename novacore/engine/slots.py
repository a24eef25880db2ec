"""The results of one message while it is decided which of them leave it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from novacore.engine.stub import MAX_TOKENS, StubOf, line_stub, spill_data, stub
from novacore.logs import is_log
from novacore.store.artifacts import Artifact
from novacore.tokens import estimate
from novacore.types import SpillItem, SpillLimits, ToolOutput

_LEFT = 0.8
"""Share of a result that its stub may have; a spill that saves less is none."""
_SMALLEST = 800
"""Characters from which on a stub of one line is certain to be smaller."""


class StoreLike(Protocol):
    """The part of an artifact store that is needed here."""

    def put(self, call_id: str, text: str, *, tokens: int = 0) -> Artifact:
        """Store a text; never raises for the disk."""
        ...

    def take_warning(self) -> str:
        """One line for the user when the disk has begun to refuse; else empty."""
        ...


@dataclass(slots=True)
class Slot:
    """One result: ``text`` is what would enter history now."""

    output: ToolOutput
    text: str
    tokens: int
    of: StubOf | None = None
    plugin: str = ""
    shrunk: bool = False

    def record(self) -> dict[str, Any] | None:
        """The data of a ``spill`` event, but for the output's id; None if nothing left."""
        if self.of is None:
            return None
        return spill_data(self.of.artifact, tokens=self.output.tokens, plugin=self.plugin)


class Slots:
    """All results of the message, in the order of their calls."""

    def __init__(
        self,
        outputs: Sequence[ToolOutput],
        *,
        limits: SpillLimits,
        store: StoreLike,
        offered: Collection[str],
        key: bytes,
    ) -> None:
        self.all = [Slot(output=o, text=o.text, tokens=o.tokens) for o in outputs]
        self._limits = limits
        self._store = store
        self._offered = offered
        self._key = key
        self._notices: list[str] = []

    def chars(self) -> int:
        """Characters of the message as it stands."""
        return sum(len(slot.text) for slot in self.all)

    def message_tokens(self) -> int:
        """Estimated tokens of the message as it stands."""
        return sum(slot.tokens for slot in self.all)

    def notices(self) -> tuple[str, ...]:
        """What the user should know."""
        return tuple(self._notices)

    def whole(self) -> list[Slot]:
        """Results that may still leave, in order."""
        return [slot for slot in self.all if _may_leave(slot)]

    def spill_largest(self, size: Callable[[Slot], int]) -> bool:
        """Spill the largest whole result, of equal ones the first; False if none is left."""
        whole = self.whole()
        if whole:
            self.spill(max(whole, key=size))
        return bool(whole)

    def shrink_largest(self) -> bool:
        """Make the largest stub one line; False if all are."""
        stubs = [slot for slot in self.all if slot.of is not None and not slot.shrunk]
        if not stubs:
            return False
        slot = max(stubs, key=lambda slot: slot.tokens)
        if slot.of is not None:
            self._show(slot, line_stub(slot.of))
        slot.shrunk = True
        return True

    def spill(self, slot: Slot, item: SpillItem | None = None, plugin: str = "") -> None:
        """Store a result and put its stub in its place: of one line if no other saves a fifth."""
        if not _may_leave(slot):
            return
        artifact = self._store.put(slot.output.id, slot.output.text, tokens=slot.output.tokens)
        if warning := self._store.take_warning():
            self._notices.append(warning)
        slot.of, slot.plugin = self._stub_of(slot, artifact, item), plugin
        self._show(slot, self._render(slot.of, slot.output))
        if slot.tokens > slot.output.tokens * _LEFT or len(slot.text) >= len(slot.output.text):
            self._show(slot, line_stub(slot.of))
            slot.shrunk = True

    def _stub_of(self, slot: Slot, artifact: Artifact, item: SpillItem | None) -> StubOf:
        output = slot.output
        return StubOf(
            text=output.text,
            artifact=artifact,
            fragment=output.id,
            what=f"the output of {output.tool}" if output.tool else "this output",
            exit_code=output.exit_code,
            offered=self._offered,
            ranges=None if item is None else item.ranges,
            note="" if item is None else item.note,
        )

    def _render(self, of: StubOf, output: ToolOutput) -> str:
        command = output.call.get("command")
        log = isinstance(command, str) and is_log(output.text, command, output.exit_code)
        most = min(MAX_TOKENS, self._limits.log_shown_tokens) if log else MAX_TOKENS
        return stub(of, key=self._key, excerpt_chars=self._limits.excerpt_chars, max_tokens=most)

    def _show(self, slot: Slot, text: str) -> None:
        slot.text, slot.tokens = text, estimate(text)


def _may_leave(slot: Slot) -> bool:
    return slot.of is None and not slot.output.exempt and len(slot.text) >= _SMALLEST
