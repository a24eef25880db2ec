"""A running turn: its events in order, its questions to the user, its cancel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from novacore.errors import LimitReached, NovaCoreError, UsageError
from novacore.service.api import TurnEvent
from novacore.session.costs import costs, priced
from novacore.session.inputs import usage_total
from novacore.types import PermissionAnswer, PermissionQuestion

if TYPE_CHECKING:
    from novacore.session.session import Session


class TurnRun:
    """One turn of one session, as a stream of events that ends with ``idle``.

    The reader may stop at any time: closing the stream cancels the turn.
    """

    def __init__(self, session: Session, text: str) -> None:
        self._session = session
        self._text = text
        self._queue: asyncio.Queue[TurnEvent] = asyncio.Queue()
        self._questions: dict[str, asyncio.Future[PermissionAnswer]] = {}
        self._counter = 0
        self._over = False
        self._task: asyncio.Task[None] | None = None
        self._turn_id = f"{session.id}:{session.record.turn + 1}"

    async def events(self) -> AsyncGenerator[TurnEvent]:
        """Run the turn and yield what happens; ``idle`` is always the last event."""
        self._task = asyncio.create_task(self._run())
        # A task that is cancelled before its first step runs none of its code, its end included.
        self._task.add_done_callback(lambda _: self._end({"stopReason": "cancelled"}))
        try:
            while True:
                event = await self._queue.get()
                yield event
                if event.kind == "idle":
                    return
        finally:
            if not self._task.done():
                self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def over(self) -> bool:
        """Whether ``idle`` was said: nothing more is taken up."""
        return self._over

    def cancel(self) -> None:
        """Stop the turn; ``idle`` follows. A second time changes nothing."""
        if self._task is not None and not self._task.cancelling():
            self._task.cancel()

    async def stopped(self) -> None:
        """Cancel the turn and wait until all of it is recorded."""
        self.cancel()
        if self._task is not None:
            await asyncio.wait({self._task})

    def answer(self, question_id: str, answer: PermissionAnswer) -> None:
        """Answer a question of this turn. Raises UsageError for one that is not open."""
        waiting = self._questions.get(question_id)
        if waiting is None or waiting.done():
            raise UsageError(f"no open question {question_id}: it was answered or withdrawn")
        waiting.set_result(answer)

    async def _run(self) -> None:
        data: dict[str, Any] = {}
        try:
            data["stopReason"] = await self._session.turn(self._text, self._emit, self._ask)
        except asyncio.CancelledError:
            data["stopReason"] = "cancelled"
        except NovaCoreError as error:
            stop = "limit" if isinstance(error, LimitReached) else "error"
            data |= {"stopReason": stop, "error": _described(error)}
        except Exception as error:
            # A bug of ours: the front end gets one line, the traceback goes to the debug log.
            data |= {"stopReason": "error", "error": _bug(error)}
        self._end(data)

    def _end(self, data: Mapping[str, Any]) -> None:
        if not self._over:
            self._over = True
            self._emit("idle", {**data, **self._totals()})

    async def _ask(self, question: PermissionQuestion) -> PermissionAnswer:
        future: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self._questions[question.id] = future
        self._emit("permission", _question(question))
        try:
            return await future
        finally:
            del self._questions[question.id]

    def _emit(self, kind: str, data: Mapping[str, Any]) -> None:
        events = self._session.record.events
        self._counter += 1
        self._queue.put_nowait(
            TurnEvent(
                kind=kind,  # type: ignore[arg-type]
                session_id=self._session.id,
                turn_id=self._turn_id,
                seq=events[-1].seq if events else 0,
                ts=datetime.now(UTC).isoformat(timespec="milliseconds"),
                data=dict(data),
                counter=self._counter,
            )
        )

    def _totals(self) -> dict[str, Any]:
        session = self._session
        return {
            "steps": session.steps,
            "request": session.window.number,
            "cost": session.spent if priced(session.record.events) else None,
            "costs": costs(e for e in session.record.events if e.turn == session.record.turn),
            "usage": usage_total(session.record.events, session.record.turn),
            "used": session.window.used,
            "window": session.parts.info.window,
        }


def _question(question: PermissionQuestion) -> dict[str, Any]:
    options = ["once", "session", "reject"] if question.protected else list(OPTIONS)
    return {
        "questionId": question.id,
        "callId": question.call_id,
        "tool": question.tool,
        "subject": question.subject,
        "title": question.title,
        "detail": question.detail,
        "warnings": list(question.warnings),
        "protected": question.protected,
        "rule": question.rule,
        "options": options,
    }


OPTIONS = ("once", "session", "always", "reject")


def _described(error: NovaCoreError) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "message": str(error),
        "exitCode": error.exit_code,
    }


def _bug(error: Exception) -> dict[str, Any]:
    import logging

    logging.getLogger("novacore").exception("a turn failed")
    message = f"internal error, please report it: {type(error).__name__}: {error}"
    return {"type": type(error).__name__, "message": message, "exitCode": 1}
