"""Requests of one session: build, ask, record the answer and its cost, repair once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from typing import Any

from novacore.engine.arguments import Shortened, shorten
from novacore.engine.manifest import positions_of
from novacore.engine.normalise import likeliest
from novacore.engine.rows import Row
from novacore.engine.spill import limits_for
from novacore.errors import BadRequest, TooLong
from novacore.session import inputs
from novacore.session.answering import Reply, answer, usage_of
from novacore.session.call_ids import CallIds
from novacore.session.parts import Emit, SessionParts
from novacore.session.record import Record
from novacore.session.window import Window
from novacore.types import CallCost, Reasoning, Usage

MakeRoom = Callable[[Emit], Awaitable[None]]


class Asking:
    """Asks the model of one session. ``spent`` is dollars, side calls included."""

    def __init__(self, record: Record, parts: SessionParts, window: Window) -> None:
        self._record = record
        self._parts = parts
        self._window = window
        self._ids = CallIds(record.events)
        self.spent = inputs.spent(record.events)

    async def ask(self, emit: Emit, make_room: MakeRoom) -> Reply:
        """The model's answer, recorded. Raises the ModelError that ended it, after one repair.

        A prompt that is too long is compacted by ``make_room`` and sent once more; a block that
        the provider refuses is taken out once. The same bytes are never sent again.
        """
        reply = await self._one_request(emit)
        if isinstance(reply.error, TooLong):
            self._learn_window(reply.error)
            await make_room(emit)
            reply = await self._one_request(emit)
        elif isinstance(reply.error, BadRequest) and self._isolate(reply.error, emit):
            reply = await self._one_request(emit)
        if isinstance(reply.error, BadRequest):
            raise self._advised(reply.error) from reply.error
        if reply.error is not None:
            raise reply.error
        return reply

    async def _one_request(self, emit: Emit) -> Reply:
        prefix = self._record.view.prefix
        made = self._window.build(reasons={})
        estimated = self._window.used
        reply = Reply()
        try:
            await answer(self._parts.provider, made.request, emit, reply)
        finally:
            reply.blocks = self._ids.own(reply.blocks)
            self._keep(reply, prefix, estimated)
        return reply

    def _keep(self, reply: Reply, prefix: str, estimated: int) -> None:
        """Record what came, complete or not; nothing at all when nothing came."""
        kept = self._shortened(reply.recorded)
        if not kept.blocks and reply.done is None:
            return
        provider, model = self._parts.provider.name, self._parts.info.id
        if reply.done is not None and reply.reasoning:
            self._parts.folder.reasoning.put(provider, model, prefix, reply.reasoning)
        usage = usage_of(reply, estimated, self._parts.counter.base)
        data = {
            "blocks": kept.blocks,
            "model": model,
            "provider": provider,
            "request": self._window.number,
            "stop_reason": reply.done.stop_reason if reply.done else "interrupted",
            "incomplete": reply.done is None or reply.error is not None,
        }
        for spill in kept.spills:
            self._record.append("spill", spill)
        self._record.append("assistant", data, by="model")
        self._count(usage, model, whole=not kept.spills)

    def _shortened(self, blocks: list[dict[str, Any]]) -> Shortened:
        return shorten(
            blocks,
            limits=limits_for(self._parts.spill, self._parts.budget.scale),
            store=self._parts.folder.artifacts,
            mask=lambda text: self._parts.context.masker.mask(text).text,
            offered=frozenset(tool.name for tool in self._window.tools),
            key=self._parts.key,
        )

    def _count(self, usage: Usage, model: str, *, whole: bool) -> None:
        dollars = self._parts.cost(usage)
        call = CallCost(purpose="turn", model=model, usage=usage, dollars=dollars)
        self.spent += dollars or 0.0
        estimates = self._window.answered(call, whole=whole)
        row = {"purpose": "turn", "model": model, "request": self._window.number, **estimates}
        self._record.append("usage", {**row, **asdict(usage), "dollars": dollars})

    def _learn_window(self, error: TooLong) -> None:
        if error.window and error.window < self._parts.info.window:
            self._parts.info = replace(
                self._parts.info, window=error.window, window_source="learned"
            )
            self._parts.budget = self._parts.budget_of(self._parts.info)

    def _isolate(self, error: BadRequest, emit: Emit) -> bool:
        """Take what the provider named out of the request, once; False when there is nothing.

        Reasoning is dropped when it was named, or when nothing was: it is what moves least well.
        """
        row = self._named(error)
        if row is None or isinstance(row.block, Reasoning):
            if not self._parts.folder.reasoning.clear():
                return False
            self._record.rebuild_view()
            text = "reasoning blocks were dropped, the provider refused the request with them"
        else:
            self._record.append("fault", {"isolate": row.event, "reason": str(error)})
            text = f"one block was left out, the provider refused it: {error}"
        # The bytes of the last request do not begin the next one: that is another epoch.
        self._window.start_epoch(self._window.tools)
        emit("notice", {"level": "warning", "text": text})
        return True

    def _named(self, error: BadRequest) -> Row | None:
        """The likeliest row of the message that the error names, of those that may still leave."""
        if error.message_index is None:
            return None
        rows = self._record.view.rows
        places = positions_of(rows)
        message = [rows[i] for i, place in places.items() if place[0] == error.message_index]
        left = {e.data.get("isolate") for e in self._record.events if e.kind == "fault"}
        order = likeliest([row.block for row in message], error.block_index)
        may_leave = (message[i] for i in order if not message[i].head)
        return next((row for row in may_leave if row.event not in left), None)

    def _advised(self, error: BadRequest) -> BadRequest:
        return BadRequest(
            f"{error}; it is kept: `novacore compact {self._parts.ref.id}` makes a new request of "
            "it, or ask in a new session",
            message_index=error.message_index,
            block_index=error.block_index,
        )
