"""One turn from question to exit code, whoever it is shown to."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from novacore.cli import permission
from novacore.cli.interrupt import INTERRUPT
from novacore.cli.output import complain, plural
from novacore.cli.steps import Step
from novacore.types import PermissionAnswer

if TYPE_CHECKING:
    from novacore.service import Service
    from novacore.service.api import TurnEvent

_LAST_STEPS = 5
_CODES = {"end_turn": 0, "limit": 3, "denied": 3, "cancelled": 130, "interrupted": 130}
_WORDS = {
    "max_tokens": "the answer was cut: the model's output limit was reached; say `continue`",
    "refusal": "the model refused to answer",
    "error": "the turn failed",
}


class View(Protocol):
    """Where a turn is shown: to a person or to a machine."""

    session: str
    steps: list[Step]
    idle: Mapping[str, Any]

    def show(self, event: TurnEvent) -> None:
        """Show one event."""
        ...

    def say(self, text: str, style: str = "dim") -> None:
        """A line about the turn, for a person."""
        ...

    def close(self) -> None:
        """End an open line."""
        ...


class Turn:
    """One turn from question to exit code."""

    def __init__(self, text: str, session: str, view: View, *, may_ask: bool) -> None:
        self.session = session
        self._text = text
        self._view = view
        self._may_ask = may_ask
        self._stopped = asyncio.Event()
        self._cancelling: asyncio.Future[Any] | None = None

    async def run(self, service: Service) -> int:
        """Carry the turn out, show it, and give the exit code."""
        try:
            await self._open(service)
            await self._stream(service)
        finally:
            self._view.close()
        if self._stopped.is_set():
            self._say_what_happened()
            return 130
        return self._code()

    def _code(self) -> int:
        stop = str(self._view.idle.get("stopReason", "error"))
        error = self._view.idle.get("error")
        if isinstance(error, Mapping):
            complain(str(error.get("message", stop)))
            return int(error.get("exitCode", 1))
        code = _CODES.get(stop, 1)
        if code:
            self._view.say(_WORDS.get(stop, f"the turn ended early: {stop}"), "yellow")
        return code

    async def _open(self, service: Service) -> None:
        opened = service.open_session(self.session) if self.session else service.new_session()
        info = await opened
        self.session = self._view.session = info.id
        for damage in info.damaged:
            self._view.say(f"note: {damage}", "yellow")

    async def _stream(self, service: Service) -> None:
        loop = asyncio.get_running_loop()

        def cancel() -> None:
            self._stopped.set()
            self._cancelling = asyncio.ensure_future(service.cancel(self.session))

        before = INTERRUPT.stop
        INTERRUPT.stop = lambda: loop.call_soon_threadsafe(cancel)
        try:
            async for event in service.turn(self.session, self._text):
                self._view.show(event)
                if event.kind == "permission":
                    await self._answer(service, event.data)
            if self._cancelling is not None:
                await self._cancelling
        finally:
            INTERRUPT.stop = before

    async def _answer(self, service: Service, question: Mapping[str, Any]) -> None:
        answer: PermissionAnswer | None
        if self._may_ask:
            self._view.close()
            answer = await permission.ask(question, self._stopped)
        else:
            answer = PermissionAnswer(outcome="reject", reason=permission.NO_TERMINAL)
            title = question.get("title") or question.get("tool")
            self._view.say(f"not allowed: {title}: {permission.NO_TERMINAL}", "yellow")
        if answer is not None:
            await service.answer(self.session, str(question["questionId"]), answer)

    def _say_what_happened(self) -> None:
        done = [step.line for step in self._view.steps]
        self._view.say(f"interrupted after {plural(len(done), 'step')}; all is recorded", "yellow")
        for line in done[-_LAST_STEPS:]:
            self._view.say(f"  {line}")
        self._view.say(f"go on with: novacore ask --session {self.session} ...")
