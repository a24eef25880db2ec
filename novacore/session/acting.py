"""Tool calls of one answer: run them, clean and measure what came, spill, record.

Results are final when they enter history: cleaned first, then masked, then measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from novacore.engine.clean import clean
from novacore.engine.spill import Asking, Settled, limits_for, settle
from novacore.logs import analyse, first_error
from novacore.session.parts import Ask, Emit, SessionParts
from novacore.session.record import Record
from novacore.session.window import Window
from novacore.store.jsontext import well_formed
from novacore.tokens import estimate
from novacore.tools.dispatch import THREAD_CHARS, Dispatcher
from novacore.types import (
    Event,
    PermissionAnswer,
    PermissionQuestion,
    ToolCall,
    ToolOutcome,
    ToolOutput,
    ToolUse,
)

_RECORDED = ("id", "call_id", "tool", "subject", "title", "command", "rule", "protected")
"""Of a question; its diff and its paths follow from the call, which is in the log already."""


class _Nobody:
    """Stands in for the host after a cancel: no plugin is waited for, the limits still hold."""

    async def ask(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """No answers."""
        none: tuple[Any, ...] = ()
        for answer in none:
            yield answer


class Acting:
    """Carries out the calls of one session."""

    def __init__(self, record: Record, parts: SessionParts, window: Window) -> None:
        self._record = record
        self._parts = parts
        self._window = window
        self._dispatcher = Dispatcher(parts.tools, parts.permissions)
        self._granted: dict[str, str] = {}
        """By call: what let it run, until its result is recorded."""

    async def run(self, calls: Sequence[ToolUse], emit: Emit, ask: Ask) -> None:
        """Run the calls and record one result for each, in their order, whatever happens."""
        offered = frozenset(tool.name for tool in self._window.tools)
        taken = [ToolCall(id=c.id, name=c.name, input=c.input) for c in calls]
        for call in taken:
            emit("toolCall", _shown(call) | {"phase": "started"})
        self._parts.context.progress = lambda call_id, text: emit(
            "toolCall", {"callId": call_id, "phase": "progress", "text": text}
        )
        outcomes = await self._dispatcher.dispatch(
            taken,
            self._parts.context,
            offered=offered,
            ask=self._recording(ask),
            allowed=lambda question, reason: self._decided(question, "allow", reason),
            started=self._started,
            finished=self._finished,
        )
        prepared = await self._all_prepared(taken, outcomes)
        settled, stopped = await self._settled(taken, prepared)
        self._enter(taken, prepared, settled, emit)
        if stopped:
            # A cancel that came meanwhile had to wait until all of it was recorded.
            raise asyncio.CancelledError

    def _recording(self, ask: Ask) -> Ask:
        """``ask``, with every answer in the log: who allowed or refused what, and for how long.

        While nobody has answered, the question stands there without an outcome.
        """

        async def asked(question: PermissionQuestion) -> PermissionAnswer:
            self._decided(question, "", "")
            try:
                answer = await ask(question)
            except asyncio.CancelledError:
                self._decided(question, "withdrawn", "the turn was stopped")
                raise
            self._decided(question, answer.outcome, answer.reason, by=answer.by)
            return answer

        return asked

    def _decided(
        self, question: PermissionQuestion, outcome: str, reason: str, *, by: str = "host"
    ) -> None:
        told = {name: getattr(question, name) for name in _RECORDED}
        data = {"question": told, "outcome": outcome, "reason": reason}
        self._record.append("permission", data, by=by)
        if outcome in ("once", "session", "always"):
            self._granted[question.call_id] = f"the {by} allowed it: {outcome}"
        elif outcome == "allow":
            self._granted[question.call_id] = reason

    def _started(self, call: ToolCall, summary: str) -> None:
        """On disk before anything happens that could not be taken back. Raises DiskRefused."""
        self._record.append(
            "tool_started",
            {"call_id": call.id, "name": call.name, "summary": summary, "read_only": False},
            by="host",
            sync=True,
        )
        if (refused := self._parts.folder.log.refused) is not None:
            raise refused

    def _finished(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """A kill between here and the result must not make the action look unfinished."""
        if self._parts.tools[call.name].spec.read_only:
            return
        self._record.append(
            "checkpoint",
            {"finished": call.id, "status": outcome.status, "exit_code": outcome.exit_code},
        )

    async def _all_prepared(
        self, calls: Sequence[ToolCall], outcomes: Sequence[ToolOutcome]
    ) -> Sequence[ToolOutcome]:
        """The outcomes as they may be recorded; long ones are made so beside the event loop."""

        def prepare() -> Sequence[ToolOutcome]:
            return [self._prepared(c, o) for c, o in zip(calls, outcomes, strict=True)]

        if sum(len(outcome.text) for outcome in outcomes) < THREAD_CHARS:
            return prepare()
        work = asyncio.ensure_future(asyncio.to_thread(prepare))
        while not work.done():
            # What has happened is recorded: a cancel waits for the end of this.
            with suppress(asyncio.CancelledError):
                await asyncio.wait({work})
        return work.result()

    async def _settled(
        self, calls: Sequence[ToolCall], outcomes: Sequence[ToolOutcome]
    ) -> tuple[Settled, bool]:
        """What enters history, and whether the turn was stopped: then no plugin is waited for."""
        outputs = [_output(c, o, self._goal()) for c, o in zip(calls, outcomes, strict=True)]
        task = asyncio.current_task()
        if task is None or not task.cancelling():
            with suppress(asyncio.CancelledError):
                return await self._settle(outputs, self._parts.host), False
        return await self._settle(outputs, _Nobody()), True

    async def _settle(self, outputs: Sequence[ToolOutput], host: Asking) -> Settled:
        return await settle(
            outputs,
            session=self._parts.ref,
            host=host,
            limits=limits_for(self._parts.spill, self._parts.budget.scale),
            store=self._parts.folder.artifacts,
            used=self._window.used,
            soft_line=self._parts.budget.soft,
            hard_line=self._parts.budget.hard,
            offered_tools=frozenset(tool.name for tool in self._window.tools),
            key=self._parts.key,
            turn=self._record.turn,
        )

    def _enter(
        self,
        calls: Sequence[ToolCall],
        outcomes: Sequence[ToolOutcome],
        settled: Settled,
        emit: Emit,
    ) -> None:
        for notice in settled.notices:
            emit("notice", {"level": "warning", "text": notice})
        for row in settled.trace:
            self._parts.trace.add("plugin", **row)
        for call, outcome in zip(calls, outcomes, strict=True):
            self._one(call, outcome, settled, emit)

    def _prepared(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        """Cleaned, then masked. What our own tools cut from files keeps its bytes."""
        tool = self._parts.tools.get(call.name)
        noisy = bool(outcome.command) or (tool is not None and bool(tool.spec.server))
        text = clean(outcome.text) if noisy else well_formed(outcome.text)
        masked = self._parts.context.masker.mask(text)
        self._window.masked(masked.counts)
        self._window.masked(outcome.data.get("masked", {}))
        if not outcome.command:
            return replace(outcome, text=masked.text)
        return replace(
            outcome,
            text=masked.text,
            failing=outcome.failing or analyse(masked.text).failing,
            error_line=outcome.error_line or _error_line(outcome, masked.text),
        )

    def _one(self, call: ToolCall, outcome: ToolOutcome, settled: Settled, emit: Emit) -> None:
        piece = settled.by_id[call.id]
        if piece.spill is not None:
            self._record.append("spill", {"output_id": call.id, **piece.spill})
        data = _result(call, outcome, piece.text, piece.spill)
        if granted := self._granted.pop(call.id, ""):
            data["access"] = granted
        event = self._record.append("tool_result", data, by="tool")
        if outcome.plan is not None:
            items = [asdict(item) for item in outcome.plan]
            self._record.append("plan", {"items": items}, by="model")
            self._parts.context.plan = outcome.plan
            emit("plan", {"items": items})
        emit("toolCall", _shown(call) | _finish(outcome, event))

    def _goal(self) -> str:
        goal = self._record.state.goal
        return goal.text if goal is not None else ""


def _output(call: ToolCall, outcome: ToolOutcome, goal: str) -> ToolOutput:
    return ToolOutput(
        id=call.id,
        text=outcome.text,
        tokens=estimate(outcome.text),
        tool=call.name,
        call=dict(call.input),
        goal=goal,
        images=len(outcome.images),
        is_error=outcome.is_error,
        exit_code=outcome.exit_code,
        exempt=outcome.read_back,
    )


def _result(
    call: ToolCall, outcome: ToolOutcome, text: str, spill: dict[str, Any] | None
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "call_id": call.id,
        "name": call.name,
        "text": text,
        "is_error": outcome.is_error,
        "status": outcome.status,
        "read_back": outcome.read_back,
    }
    if outcome.source is not None:
        data["source"] = asdict(outcome.source)
    if outcome.files:
        data["files"] = [asdict(record) for record in outcome.files]
    if diff := outcome.data.get("diff"):
        data["diff"] = diff
    if outcome.command:
        data |= {
            "command": outcome.command,
            "exit_code": outcome.exit_code,
            "failing": list(outcome.failing),
            "error_line": outcome.error_line,
        }
    if spill is not None:
        data |= {"artifact": spill["artifact"], "sha256": spill["sha256"]}
    return data


def _error_line(outcome: ToolOutcome, text: str) -> str:
    return first_error(text) if outcome.exit_code not in (0, None) else ""


def _shown(call: ToolCall) -> dict[str, Any]:
    return {"callId": call.id, "name": call.name, "input": dict(call.input)}


def _finish(outcome: ToolOutcome, event: Event) -> dict[str, Any]:
    return {
        "phase": "finished",
        "status": outcome.status,
        "isError": outcome.is_error,
        "exitCode": outcome.exit_code,
        "text": event.data["text"],
        "spilled": event.data.get("artifact", ""),
        "diff": outcome.data.get("diff", ""),
        "lines": _lines_read(outcome),
    }


def _lines_read(outcome: ToolOutcome) -> list[int]:
    """The first and the last line that a read gave; empty for anything else."""
    source = outcome.source
    if source is None or not source.start_line:
        return []
    return [source.start_line, source.end_line or source.start_line]
