"""One conversation: turns that build requests, call the model, run tools and record everything."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from novacore.engine.baseline import BaselineSection, difference, full_update
from novacore.engine.instructions import Instructions, InstructionsKeeper
from novacore.engine.recall import RecallResult, RecallRun
from novacore.engine.restate import due
from novacore.engine.select_tools import select_tools
from novacore.errors import LimitReached
from novacore.host import Answer
from novacore.session import ground, inputs
from novacore.session.acting import Acting
from novacore.session.asking import Asking
from novacore.session.compacting import Compacting
from novacore.session.confirmed import ConfirmedRules
from novacore.session.costs import side_call
from novacore.session.parts import Ask, Emit, SessionParts
from novacore.session.past_events import event_opener
from novacore.session.record import Record
from novacore.session.resume import Why, broken_off, close_dangling
from novacore.session.window import Window
from novacore.tools.run import RunTool
from novacore.types import ToolSpec, Trigger


class Session:
    """A session that is open for writing. One turn at a time; the service sees to that."""

    def __init__(self, parts: SessionParts) -> None:
        self.parts = parts
        self.record = Record(
            parts.folder.log,
            count=parts.counter.base,
            mask=lambda text: parts.context.masker.mask(text).text,
            reasoning=parts.folder.reasoning,
            artifacts=parts.folder.artifacts,
        )
        self.record.replay()
        state = parts.folder.path.parent.parent
        parts.context.open_event = event_opener(self.record, parts.folder.id, state)
        self.window = Window(self.record, parts)
        self.steps = 0
        self._acting = Acting(self.record, parts, self.window)
        self._asking = Asking(self.record, parts, self.window)
        self._compacting = Compacting(self.record, parts, self.window)
        self._instructions = InstructionsKeeper(parts.host)
        self._confirmed = ConfirmedRules(trusted=parts.trusted, confirmed=parts.confirmed)
        self._warned: set[str] = set()
        self._recall: RecallRun | None = None
        self._steer: deque[str] = deque()

    @property
    def spent(self) -> float:
        """Dollars that the session has cost, side calls included."""
        return self._asking.spent

    @property
    def id(self) -> str:
        """The session's id."""
        return self.parts.ref.id

    async def open(self) -> tuple[str, ...]:
        """Close what an earlier process left open; the ids of calls that were closed."""
        closed = close_dangling(self.record)
        self.parts.context.plan = self.record.state.plan
        self.window.resume(await self._tools())
        return closed

    async def aclose(self) -> str:
        """End background jobs, write what is left, give the lock back; says what was lost."""
        runner = self.parts.tools.get("run")
        if isinstance(runner, RunTool):
            await runner.close(self.id)
        self.parts.trace.take()
        return self.parts.folder.close()

    def count(self, name: str, usage: Mapping[str, Any], dollars: float | None) -> None:
        """Take in what a plugin's side call cost: a line of its own, and part of the limit."""
        data = side_call(name, usage, dollars)
        self.record.append("usage", data, by="plugin")
        self._asking.spent += data["dollars"] or 0.0

    def steer(self, text: str) -> None:
        """Queue words of the user; they join the next request beside the newest results."""
        self._steer.append(text)

    async def turn(self, text: str, emit: Emit, ask: Ask) -> str:
        """Take the user's words and work until the model is done; returns the stop reason.

        Raises StoppedError for a limit and ModelError for a provider that failed; the log is whole
        in every case. A cancel closes open calls and passes through.
        """
        self.record.turn += 1
        self.steps = 0
        stop = "error"
        try:
            await self._begin(text, emit)
            stop = await self._work(emit, ask)
        except asyncio.CancelledError:
            stop = "cancelled"
            raise
        except LimitReached:
            stop = "limit"
            raise
        finally:
            self._end(stop, emit)
        return stop

    async def compact(self, emit: Emit, *, focus: str = "") -> Mapping[str, Any]:
        """Compact now, because the user says so."""
        made = await self._make_room("manual", emit, focus=focus)
        self._drain(emit)
        return made

    # --- a turn ----------------------------------------------------------------------------

    async def _begin(self, text: str, emit: Emit) -> None:
        try:
            remembered = await self._before_the_words(text, emit)
        finally:
            # A turn that is stopped this early has lost nothing of what the user said.
            self._hear(inputs.user_data(text, self.parts), emit)
        self._remember(remembered, emit)
        self._drain(emit)

    async def _before_the_words(self, text: str, emit: Emit) -> RecallResult:
        await self._tell(emit)
        self._restate(turn_start=True)
        self._recall = RecallRun(
            self.parts.host,
            inputs.recall_request(text, self.record, self.parts),
            count=self.parts.counter.base,
            turn=self.record.turn,
        )
        return await self._recall.ready(self.parts.recall_wait, self.parts.recall_waits)

    def _hear(self, said: Mapping[str, Any], emit: Emit) -> None:
        event = self.record.append("user", said, by="user")
        emit("user", {"text": event.data["text"]})

    async def _work(self, emit: Emit, ask: Ask) -> str:
        while True:
            await self._make_room_if_needed(emit)
            self._check_limits()
            self.steps += 1
            reply = await self._asking.ask(emit, self._too_long)
            if not reply.calls:
                if not self._take_steering(emit):
                    return reply.done.stop_reason if reply.done else "error"
                continue
            await self._acting.run(reply.calls, emit, ask)
            await self._between_steps(emit)

    async def _between_steps(self, emit: Emit) -> None:
        self._take_steering(emit)
        await self._tell(emit)
        if self._recall is not None:
            self._remember(await self._recall.late(), emit)
        self._restate(turn_start=False)
        self._drain(emit)

    def _end(self, stop: str, emit: Emit) -> None:
        why: Why = "stopped" if stop == "cancelled" else "broke_off"
        # Looking through a long log costs, and nearly every turn ends with all calls answered.
        closed = close_dangling(self.record, why) if self.record.view.open_calls else ()
        for call in closed:
            emit("notice", {"level": "warning", "text": f"call {call} has no result: {stop}"})
        if (told := broken_off(self.record, stop)) is not None:
            self.record.append("update", told)
        # What was said after the last request joins the next one.
        self._take_steering(emit)
        if self._recall is not None:
            self._recall.cancel() if stop == "cancelled" else self._recall.close()
            self._recall = None
        self.record.append("turn_end", {"stop_reason": stop, "steps": self.steps}, sync=True)
        self._drain(emit)

    def _check_limits(self) -> None:
        limits = self.parts.limits
        if self.steps >= limits.steps:
            raise LimitReached(
                f"stopped after {self.steps} model requests in one turn; "
                f"say `continue`, or raise limits.steps"
            )
        if limits.dollars is not None and self._asking.spent >= limits.dollars:
            raise LimitReached(
                f"stopped: the session has cost ${self._asking.spent:.4g}, its limit is "
                f"${limits.dollars:g}; raise limits.dollars"
            )

    # --- the window ------------------------------------------------------------------------

    async def _tools(self) -> list[ToolSpec]:
        """What is offered in the coming epoch."""
        request = inputs.tools_request(self.record, self.parts, self._asking.spent)
        chosen = await select_tools(self.parts.host, request, turn=self.record.turn)
        self._explain(chosen.answers)
        self.window.leave_out(chosen.left_out)
        return [self.parts.tools[name].spec for name in chosen.offered]

    async def _too_long(self, emit: Emit) -> None:
        await self._make_room("too_long", emit)

    async def _make_room_if_needed(self, emit: Emit) -> None:
        used = self.window.used
        if used >= self.parts.budget.hard:
            await self._make_room("hard", emit)
        elif used >= self.parts.budget.soft and self._compacting.may_try(used):
            await self._make_room("soft", emit)

    async def _make_room(
        self, trigger: Trigger, emit: Emit, *, focus: str = ""
    ) -> Mapping[str, Any]:
        baseline = full_update(await self._ground(emit))
        made = await self._compacting.run(trigger, baseline, focus=focus)
        if made.get("id"):
            self.parts.context.ledger.forget_all()
            self.window.start_epoch(await self._tools())
        emit("compaction", made)
        return made

    async def _tell(self, emit: Emit) -> None:
        """Tell the baseline, or what differs in it since it was told."""
        now = await self._ground(emit)
        mode = self.parts.context.mode
        if self.record.told and self.record.mode != mode:
            self.record.append("update", ground.mode_change(mode, now))
        whole = full_update(now) | {"mode": mode}
        data = difference(self.record.told, now) if self.record.told else whole
        if data is not None:
            self.record.append("update", data)
        self._drain(emit)

    async def _ground(self, emit: Emit) -> tuple[BaselineSection, ...]:
        """The sections of the baseline, as they are now."""
        written = {file.path for file in self.record.state.files if file.action != "read"}
        found = await self._rules(emit)
        rules = self._confirmed.weigh(found.sections, written)
        for rule in rules:
            if rule.changed:
                self._warn(rule.changed, emit)
        return ground.sections(self.parts, rules, self._still_told(found))

    def _still_told(self, found: Instructions) -> list[BaselineSection]:
        """Sections that the model knows, of plugins that failed: no failure takes a rule back."""
        failed = set(found.silent)
        told = {section.plugin for section in self.record.sections.values()} - {""}
        if told - {answer.plugin for answer in found.answers}:
            states = {status.name: status.state for status in self.parts.host.statuses()}
            failed |= {name for name in told if states.get(name) in ("failed", "incompatible")}
        now = {placed.section.id for placed in found.sections}
        return [
            replace(s, reason=f"{s.title}; {s.plugin} could not renew it: stale")
            for s in self.record.sections.values()
            if s.plugin in failed and s.id not in now
        ]

    async def _rules(self, emit: Emit) -> Instructions:
        """The instructions in force; a person hears of each warning once."""
        request = inputs.instructions_request(self.record, self.parts)
        told = {section.plugin for section in self.record.sections.values()}
        found = await self._instructions.collect(request, turn=self.record.turn, told=told)
        self._explain(found.answers)
        self.window.leave_out(found.left_out)
        for line in found.warnings:
            self._warn(line, emit)
        return found

    def _warn(self, line: str, emit: Emit) -> None:
        """Say ``line`` to the person, once."""
        if line not in self._warned:
            self._warned.add(line)
            emit("notice", {"level": "warning", "text": line})

    def _explain(self, answers: Sequence[Answer]) -> None:
        for row in inputs.plugin_rows(answers):
            self.parts.trace.add("plugin", **row)

    def _restate(self, *, turn_start: bool) -> None:
        data = due(
            self.record.state,
            self.record.stated,
            used=self.window.estimate,
            turn_start=turn_start,
            count=self.parts.counter.base,
        )
        if data is not None:
            self.record.append("update", data)

    def _remember(self, found: RecallResult, emit: Emit) -> None:
        self._explain(found.answers)
        self.window.leave_out(found.left_out)
        if not found.items:
            return
        items = [inputs.recalled_data(item, self.parts) for item in found.items]
        self.record.append("recall", {"items": items}, by="plugin")
        emit("recall", {"items": [{k: i[k] for k in ("key", "plugin", "uri")} for i in items]})

    def _take_steering(self, emit: Emit) -> bool:
        taken = False
        while self._steer:
            said = inputs.user_data(self._steer.popleft(), self.parts)
            self._hear(said | {"source": "steer"}, emit)
            taken = True
        return taken

    def _drain(self, emit: Emit) -> None:
        """One line for each fault that the user has not heard of, and for a disk that refuses."""
        for line in self.parts.host.drain_notices():
            emit("notice", {"level": "warning", "text": line})
        folder = self.parts.folder
        results = folder.artifacts.take_warning()
        # That nothing at all is written says it of results too.
        if warning := folder.log.take_warning() or results:
            emit("notice", {"level": "error", "text": warning})
