"""Requests of one session: build, ask, record the answer and its cost, repair once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace

from novacore.engine.budget import budget_for
from novacore.engine.manifest import positions_of
from novacore.engine.rows import Row
from novacore.errors import BadRequest, TooLong
from novacore.session import inputs
from novacore.session.answering import Reply, answer, usage_of
from novacore.session.parts import Emit, SessionParts
from novacore.session.record import Record
from novacore.session.window import Window
from novacore.types import CallCost, Usage

MakeRoom = Callable[[Emit], Awaitable[None]]


class Asking:
    """Asks the model of one session. ``spent`` is dollars, side calls included."""

    def __init__(self, record: Record, parts: SessionParts, window: Window) -> None:
        self._record = record
        self._parts = parts
        self._window = window
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
            self._keep(reply, prefix, estimated)
        return reply

    def _keep(self, reply: Reply, prefix: str, estimated: int) -> None:
        """Record what came, complete or not; nothing at all when nothing came."""
        blocks = reply.recorded
        if not blocks and reply.done is None:
            return
        provider, model = self._parts.provider.name, self._parts.info.id
        self._record.origin = (provider, model)
        if reply.done is not None and reply.reasoning:
            self._parts.folder.reasoning.put(provider, model, prefix, reply.reasoning)
        usage = usage_of(reply, estimated, self._parts.counter.base)
        data = {
            "blocks": blocks,
            "model": model,
            "provider": provider,
            "request": self._window.number,
            "stop_reason": reply.done.stop_reason if reply.done else "interrupted",
            "incomplete": reply.done is None or reply.error is not None,
        }
        self._record.append("assistant", data, by="model")
        self._count(usage, model)

    def _count(self, usage: Usage, model: str) -> None:
        dollars = self._parts.cost(usage)
        call = CallCost(purpose="turn", model=model, usage=usage, dollars=dollars)
        self.spent += dollars or 0.0
        self._window.answered(call)
        row = {"purpose": "turn", "model": model, "request": self._window.number}
        self._record.append("usage", {**row, **asdict(usage), "dollars": dollars})

    def _learn_window(self, error: TooLong) -> None:
        if error.window and error.window < self._parts.info.window:
            self._parts.info = replace(
                self._parts.info, window=error.window, window_source="learned"
            )
            self._parts.budget = budget_for(error.window, max_output=self._parts.info.max_output)

    def _isolate(self, error: BadRequest, emit: Emit) -> bool:
        """Take the block that the provider named out of the request, once."""
        if self._parts.folder.reasoning.clear():
            self._record.rebuild_view()
            emit("notice", {"level": "warning", "text": "reasoning blocks were dropped"})
            return True
        row = self._named(error)
        if row is None or any(
            e.kind == "fault" and e.data.get("isolate") == row.event for e in self._record.events
        ):
            return False
        self._record.append("fault", {"isolate": row.event, "reason": str(error)})
        text = f"one block was left out, the provider refused it: {error}"
        emit("notice", {"level": "warning", "text": text})
        return True

    def _named(self, error: BadRequest) -> Row | None:
        if error.message_index is None:
            return None
        rows = self._record.view.rows
        places = positions_of(rows)
        named = [i for i, (message, _) in places.items() if message == error.message_index]
        return rows[named[-1]] if named and not rows[named[-1]].head else None
