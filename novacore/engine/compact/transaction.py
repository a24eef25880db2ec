"""The transaction: weigh, ask plugins in order, verify, build. The caller writes one event."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from novacore.engine.boundary import Boundary, Lookup, OutputLines
from novacore.engine.budget import Budget
from novacore.engine.compact.build import build
from novacore.engine.compact.fitting import Fit, fit
from novacore.engine.compact.keeping import stand_in
from novacore.engine.compact.window import Between, Window, earlier, scaled_count, scaled_items
from novacore.engine.cuts import cut_of, nearest_cut
from novacore.engine.verify.compact import verify_boundary, verify_compact
from novacore.errors import ContractError, PinnedOverflow, RequiredPluginFailed
from novacore.types import (
    Compaction,
    CompactRequest,
    EventRange,
    Passage,
    SessionRef,
    State,
    Trigger,
)

if TYPE_CHECKING:
    from novacore.host import Answer, Host

Heard = Callable[["Answer"], object]

FLOOR = "floor"
"""Stands for the plugin where the host had to stand in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """No boundary: the session is as it was. ``refusals``: (plugin, why) of each proposal."""

    reason: str
    refusals: tuple[tuple[str, str], ...] = ()


async def compact(
    host: Host,
    view_items: Sequence[tuple[str, int]],
    state: State,
    budget: Budget,
    *,
    trigger: Trigger,
    focus: str = "",
    session: SessionRef,
    model: str,
    used: int,
    ground_tokens: int,
    boundaries: Sequence[Mapping[str, Any]] = (),
    lookup: Lookup,
    between: Between,
    count: Callable[[str], int],
    estimate: int = 0,
    transcript: str = "",
    output_lines: OutputLines | None = None,
    heard: Heard = lambda answer: None,
) -> Boundary | Refused:
    """A boundary for this window, complete and verified, or why there is none.

    ``view_items`` are (event id, tokens by ``count``) of the history, without the head. ``used`` is
    the window in real tokens, ``estimate`` the same by ``count`` (0: they agree). ``heard`` gets
    every plugin's answer, for the trace. Raises PinnedOverflow in the hard zone when nothing can
    help, RequiredPluginFailed as the host does.
    """
    ratio = used / estimate if estimate > 0 else 1.0
    previous, infos = earlier(boundaries)
    window = Window(
        session=session,
        items=scaled_items(view_items, lookup, ratio),
        state=state,
        budget=budget,
        trigger=trigger,
        focus=focus,
        model=model,
        used=used,
        ground=int(ground_tokens * ratio),
        previous=previous,
        boundaries=infos,
        lookup=lookup,
        between=between,
        count=scaled_count(count, ratio),
        transcript=transcript,
        output_lines=output_lines,
    )
    weighed = fit(window)
    if weighed.reason:
        return _cannot(window, weighed)
    return await _proposed(host, window, weighed, _request(window, weighed), heard)


async def _proposed(
    host: Host, window: Window, weighed: Fit, request: CompactRequest, heard: Heard
) -> Boundary | Refused:
    proposals = _Proposals(host, window, weighed, request, heard)
    refusals: list[tuple[str, str]] = []
    async with aclosing(proposals.asked(request)) as answers:
        async for first in answers:
            answer = first
            if first.fault is not None and first.fault.reason == "refused":
                refusals.append((first.plugin, first.fault.detail))
                answer = await proposals.again(first)
            if answer.value is not None:
                return proposals.made(answer.plugin)
            if answer.fault is not None:
                if answer.fatal:
                    raise RequiredPluginFailed(f"plugin {answer.plugin}: {answer.fault.detail}")
                refusals.append((answer.plugin, answer.fault.detail))
    if window.hard:
        return _floor(window, weighed, request, refusals)
    why = "; ".join(f"{plugin}: {reason}" for plugin, reason in refusals) or "no plugin answered"
    return Refused(reason=why, refusals=tuple(refusals))


class _Proposals:
    """Checks what plugins propose, and keeps the boundary of the one that passed."""

    def __init__(
        self, host: Host, window: Window, weighed: Fit, request: CompactRequest, heard: Heard
    ) -> None:
        self._host = host
        self._heard = heard
        self._window = window
        self._weighed = weighed
        self._request = request
        self._boundary: Boundary | None = None

    async def asked(
        self, request: CompactRequest, *, only: str = ""
    ) -> AsyncGenerator[Answer, None]:
        """The plugins' answers in order, or the one of a single plugin."""
        turn = self._window.items[-1].event.turn
        asking = self._host.ask("compact", request, self.check, turn=turn, only=only, refuse=False)
        async with aclosing(asking) as answers:
            async for answer in answers:
                self._heard(answer)
                yield answer

    def check(self, answer: Any) -> None:
        """Raises ContractError unless a boundary can be made of ``answer``."""
        verify_compact(answer, self._request)
        self._boundary = _verified(self._window, self._weighed, self._request, answer)

    async def again(self, refused: Answer) -> Answer:
        """Ask the plugin once more, and say why its proposal was refused."""
        assert refused.fault is not None
        request = replace(self._request, attempt=refused.fault.detail)
        async with aclosing(self.asked(request, only=refused.plugin)) as answers:
            async for answer in answers:
                return answer
        return refused

    def made(self, plugin: str) -> Boundary:
        """The boundary of the proposal that was accepted last."""
        assert self._boundary is not None
        source = {s.name: s.source for s in self._host.statuses()}.get(plugin, "")
        versions = {**self._boundary.versions, "plugin": source}
        return replace(self._boundary, plugin=plugin, versions=versions)


def _verified(
    window: Window, weighed: Fit, request: CompactRequest, proposal: Compaction
) -> Boundary:
    boundary, head = build(window, proposal, cut_of(proposal, request))
    kept = sum(window.count(part.text) for part in head if part.kind == "kept")
    if kept > window.budget.shares["evidence"]:
        share = window.budget.shares["evidence"]
        raise ContractError(f"what is kept takes {kept:,} tokens, its share is {share:,}")
    verify_boundary(boundary, head, before=window.state, patch=proposal.patch, limit=weighed.limit)
    return boundary


def _floor(
    window: Window,
    weighed: Fit,
    request: CompactRequest,
    refusals: Sequence[tuple[str, str]],
) -> Boundary:
    """The least that is true: the state, the user's words, the tail. It makes no call."""
    cut = nearest_cut(weighed.cuts, max(c.tail_tokens for c in weighed.cuts))
    places = {item.event.id: i for i, item in enumerate(window.items)}
    covers = EventRange(
        first=window.items[0].event.id, last=window.items[places[cut.event] - 1].event.id
    )
    passage = Passage(text=stand_in(window, covers), covers=covers)
    proposal = Compaction(cut=cut.event, passages=(passage,))
    try:
        verify_compact(proposal, request)
        boundary = _verified(window, weighed, request, proposal)
    except ContractError as error:
        raise _overflow(f"a compaction does not help ({error})", weighed) from error
    repairs = tuple(f"{plugin}: {why}" for plugin, why in refusals)
    return replace(boundary, plugin=FLOOR, verdict="floor", repairs=repairs, degraded=True)


def _cannot(window: Window, weighed: Fit) -> Refused:
    if window.hard:
        raise _overflow(weighed.reason, weighed)
    return Refused(reason=weighed.reason)


def _overflow(reason: str, weighed: Fit) -> PinnedOverflow:
    parts = ", ".join(f"{name}: {tokens:,}" for name, tokens in weighed.largest)
    return PinnedOverflow(
        f"the window is full and cannot shrink: {reason}. Largest parts in tokens: {parts}. "
        "Use a model with a larger window, fewer tools or shorter instruction files"
    )


def _request(window: Window, weighed: Fit) -> CompactRequest:
    def events(covers: EventRange) -> Sequence[Any]:
        return window.between(covers.first, covers.last)

    return CompactRequest(
        session=window.session,
        view=window.items,
        state=window.state,
        legal_cuts=weighed.cuts,
        target_tokens=window.budget.target,
        model=window.model,
        window=window.budget.window,
        used=window.used,
        trigger=window.trigger,
        boundaries=window.boundaries,
        focus=window.focus,
        language=window.state.reply_language,
        events=cast(Any, events),
    )
