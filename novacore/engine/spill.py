"""Tool results that are too large leave their message; a stub with an excerpt stands for each.

Plugins propose what to show; the host writes, renders, and spills more until every limit holds.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from novacore.engine.manifest import plugin_row
from novacore.engine.slots import Slot, Slots, StoreLike
from novacore.engine.stub import StubOf, stub
from novacore.engine.verify.spill import verify_spill
from novacore.host import Answer
from novacore.tokens import estimate
from novacore.types import SessionRef, SpillItem, SpillLimits, SpillPlan, SpillRequest, ToolOutput

ASKED_TOKENS = 1_500
"""Outputs from this size on are shown to plugins."""


class Asking(Protocol):
    """The part of the host that is needed here."""

    def ask(self, hook: str, request: Any, check: Callable[[Any], None], *, turn: int = 0) -> Any:
        """Answers, one plugin after another."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One result as it enters history. ``spill`` is the data of its ``spill`` event, or None."""

    id: str
    text: str
    tokens: int
    spill: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """All results of one message, in their order.

    ``fits``: used + message is within the hard line. ``notices`` are for the user, ``trace`` rows
    for the trace.
    """

    pieces: tuple[Piece, ...]
    fits: bool = True
    notices: tuple[str, ...] = ()
    trace: tuple[Mapping[str, Any], ...] = ()

    @property
    def by_id(self) -> dict[str, Piece]:
        """The pieces by the ids of their calls."""
        return {piece.id: piece for piece in self.pieces}


async def settle(
    outputs: Sequence[ToolOutput],
    *,
    session: SessionRef,
    host: Asking,
    limits: SpillLimits,
    store: StoreLike,
    used: int,
    soft_line: int,
    hard_line: int,
    offered_tools: Collection[str] = (),
    key: bytes = b"",
    turn: int = 0,
) -> Settled:
    """Spill what plugins propose and what the limits demand; ``used`` and lines are in tokens.

    Outputs that are exempt, and those that a stub would not make smaller, stay as they are. Raises
    RequiredPluginFailed.
    """
    slots = Slots(outputs, limits=limits, store=store, offered=frozenset(offered_tools), key=key)
    budget = message_tokens(limits, used, soft_line, hard_line)
    request = SpillRequest(
        session=session,
        outputs=tuple(output for output in outputs if output.tokens >= ASKED_TOKENS),
        limits=limits,
        token_budget=budget,
    )
    answers = await _ask(host, request, turn) if request.outputs else ()
    for item, plugin in _first_per_output(answers):
        _adopt(slots, item, plugin)
    _top_up(slots, limits, budget)
    fits = _fit(slots, hard_line - used)
    return Settled(
        pieces=tuple(_piece(slot) for slot in slots.all),
        fits=fits,
        notices=slots.notices(),
        trace=tuple(_row(answer) for answer in answers),
    )


def message_tokens(limits: SpillLimits, used: int, soft_line: int, hard_line: int) -> int:
    """Tokens that a message may have: past the soft line a quarter of what is left."""
    if used < soft_line:
        return limits.message_tokens
    return min(limits.message_tokens, max(0, hard_line - used) // 4)


def limits_for(limits: SpillLimits, scale: float) -> SpillLimits:
    """``limits`` in a window that is ``scale`` times 200,000 tokens; those of logs stay."""
    return replace(
        limits,
        result_chars=int(limits.result_chars * scale),
        result_tokens=int(limits.result_tokens * scale),
        message_chars=int(limits.message_chars * scale),
        message_tokens=int(limits.message_tokens * scale),
    )


def spill_paste(
    text: str,
    limits: SpillLimits,
    store: StoreLike,
    *,
    offered_tools: Collection[str] = (),
    key: bytes = b"",
) -> tuple[str, str]:
    """A user's text over the limits of one result, as its stub and its artifact's id.

    Any other text comes back as it is, with "" for the id.
    """
    tokens = estimate(text)
    if len(text) <= limits.result_chars and tokens <= limits.result_tokens:
        return text, ""
    name = f"paste-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"
    artifact = store.put(name, text, tokens=tokens)
    of = StubOf(
        text=text,
        artifact=artifact,
        fragment=name,
        what="a text that the user pasted",
        offered=frozenset(offered_tools),
    )
    return stub(of, key=key, excerpt_chars=limits.excerpt_chars), artifact.id


async def _ask(host: Asking, request: SpillRequest, turn: int) -> list[Answer]:
    waiting = {output.id for output in request.outputs if not output.exempt}
    answers: list[Answer] = []
    check = functools.partial(verify_spill, request=request)
    async with aclosing(host.ask("spill", request, check, turn=turn)) as asked:
        async for answer in asked:
            answers.append(answer)
            waiting -= {item.output_id for item in _items(answer)}
            if not waiting:
                break
    return answers


def _items(answer: Answer) -> tuple[SpillItem, ...]:
    return cast(SpillPlan, answer.value).items if answer.value is not None else ()


def _first_per_output(answers: Iterable[Answer]) -> list[tuple[SpillItem, str]]:
    first: dict[str, tuple[SpillItem, str]] = {}
    for answer in answers:
        for item in _items(answer):
            first.setdefault(item.output_id, (item, answer.plugin))
    return list(first.values())


def _adopt(slots: Slots, item: SpillItem, plugin: str) -> None:
    # No need to weigh: from 1,500 tokens on, any stub saves the fifth that a plan must save.
    for slot in slots.all:
        if slot.output.id == item.output_id:
            slots.spill(slot, item, plugin)


def over_one(output: ToolOutput, limits: SpillLimits) -> bool:
    """Whether one result is over its own limits; exactly at a limit it stays."""
    return len(output.text) > limits.result_chars or output.tokens > limits.result_tokens


def _top_up(slots: Slots, limits: SpillLimits, budget: int) -> None:
    for slot in slots.whole():
        if over_one(slot.output, limits):
            slots.spill(slot)
    while slots.chars() > limits.message_chars and slots.spill_largest(_chars):
        pass
    while slots.message_tokens() > budget and slots.spill_largest(_tokens):
        pass


def _fit(slots: Slots, room: int) -> bool:
    while slots.message_tokens() > room:
        if not (slots.spill_largest(_tokens) or slots.shrink_largest()):
            return False
    return True


def _chars(slot: Slot) -> int:
    return len(slot.text)


def _tokens(slot: Slot) -> int:
    return slot.tokens


def _piece(slot: Slot) -> Piece:
    return Piece(id=slot.output.id, text=slot.text, tokens=slot.tokens, spill=slot.record())


def _row(answer: Answer) -> dict[str, Any]:
    return plugin_row(answer) | {"items": len(_items(answer))}
