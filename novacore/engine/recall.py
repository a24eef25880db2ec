"""Recall beside the turn: what is there after 50 ms goes along, the rest joins a later request.

Filtered by permission first, then ranked by authority and score, deduplicated, budgeted.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from novacore.engine.verify.recall import verify_recall
from novacore.host import Answer, Fault, Host, Pending
from novacore.types import Authority, LeftOut, Recalled, RecallRequest, Source

_RANK = {authority: place for place, authority in enumerate(Authority)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledItem:
    """An item and what the host knows of it. Its trust is never above untrusted."""

    item: Recalled
    plugin: str
    tokens: int
    authority: Authority = Authority.HISTORICAL_FACT


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """What enters the next request, in its order, and what does not."""

    items: tuple[RecalledItem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    faults: tuple[Fault, ...] = ()
    answers: tuple[Answer, ...] = ()
    """What each plugin that came back made of the request, for the trace."""
    waiting: tuple[str, ...] = ()
    """Plugins that have not answered yet."""


def _may_all(plugin: str, item: Recalled) -> bool:
    return True


class RecallRun:
    """One question to all recall plugins, from the user's message to the end of the turn.

    ``permitted`` decides by plugin and item before anything is ranked; ``authority`` is the user's
    word on a plugin (a historical fact where he has none); ``known`` are (uri, version) pairs that
    the window holds already. ``request.limit`` and ``max_tokens`` hold for the whole run.
    """

    def __init__(
        self,
        host: Host,
        request: RecallRequest,
        *,
        count: Callable[[str], int],
        turn: int = 0,
        permitted: Callable[[str, Recalled], bool] = _may_all,
        authority: Mapping[str, Authority] | None = None,
        known: Collection[tuple[str, str]] = (),
    ) -> None:
        check = functools.partial(verify_recall, request=request, count=count)
        self._waiting: list[Pending] = list(host.start("recall", request, check, turn=turn))
        self._count = count
        self._permitted = permitted
        self._authority = authority or {}
        self._seen: set[tuple[str, ...]] = set(known)
        self._items_left = request.limit
        self._tokens_left = request.max_tokens
        self._closed = False

    async def ready(
        self, wait_seconds: float = 0.05, own: Mapping[str, float] | None = None
    ) -> RecallResult:
        """What is there once all have answered, or after ``wait_seconds``.

        ``own`` are the seconds that single plugins are waited for instead. Raises
        RequiredPluginFailed.
        """
        seconds = own or {}
        await asyncio.gather(
            *(
                _within(pending, seconds.get(pending.plugin, wait_seconds))
                for pending in self._waiting
            )
        )
        return await self._collect()

    async def late(self) -> RecallResult:
        """What came since the last call, without waiting. Raises RequiredPluginFailed."""
        return await self._collect()

    def close(self) -> tuple[str, ...]:
        """End of the turn: what comes later is dropped. Gives the plugins that had not answered.

        They are not stopped: their deadline judges them, not the length of the turn.
        """
        self._closed = True
        return tuple(pending.plugin for pending in self._waiting)

    def cancel(self) -> None:
        """The turn was cancelled: stop the plugins, which are to blame for nothing."""
        self._closed = True
        for pending in self._waiting:
            pending.cancel()

    async def _collect(self) -> RecallResult:
        if self._closed:
            return RecallResult()
        done = [pending for pending in self._waiting if pending.done()]
        self._waiting = [pending for pending in self._waiting if pending not in done]
        answers = tuple([await pending.answer() for pending in done])
        items, left_out = self._choose(answers)
        return RecallResult(
            items=items,
            left_out=left_out,
            faults=tuple(answer.fault for answer in answers if answer.fault is not None),
            answers=answers,
            waiting=tuple(pending.plugin for pending in self._waiting),
        )

    def _choose(
        self, answers: tuple[Answer, ...]
    ) -> tuple[tuple[RecalledItem, ...], tuple[LeftOut, ...]]:
        chosen, left_out = [], []
        for found in sorted(self._found(answers), key=_order):
            if reason := self._why_not(found):
                left_out.append(_left_out(found, reason))
                continue
            chosen.append(found)
            self._seen.update(_identities(found.item))
            self._items_left -= 1
            self._tokens_left -= found.tokens
        return tuple(chosen), tuple(left_out)

    def _found(self, answers: tuple[Answer, ...]) -> list[RecalledItem]:
        return [
            RecalledItem(
                item=item,
                plugin=answer.plugin,
                tokens=self._count(item.text),
                authority=self._authority.get(answer.plugin, Authority.HISTORICAL_FACT),
            )
            for answer in answers
            for item in answer.value or ()
        ]

    def _why_not(self, found: RecalledItem) -> str:
        # A refused item takes part in nothing: not in the ranking of others, not in their budget.
        if not self._permitted(found.plugin, found.item):
            return "denied"
        if any(identity in self._seen for identity in _identities(found.item)):
            return "duplicate"
        if self._items_left < 1:
            return "budget: as many items as were asked for are there"
        if found.tokens > self._tokens_left:
            return f"budget: {found.tokens} tokens, {self._tokens_left} are left"
        return ""


async def _within(pending: Pending, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await pending.wait()


def _order(found: RecalledItem) -> tuple[int, float, str, str]:
    return _RANK[found.authority], -found.item.score, found.plugin, found.item.key


def _identities(item: Recalled) -> tuple[tuple[str, ...], ...]:
    words = " ".join(item.text.split())
    return ((item.uri, item.version), (words,)) if item.version else ((words,),)


def _left_out(found: RecalledItem, reason: str) -> LeftOut:
    item = found.item
    source = Source(uri=item.uri, version=item.version, time=item.time)
    id = f"{found.plugin}:{item.key}"
    return LeftOut(id=id, source=source, reason=reason, tokens=found.tokens)
