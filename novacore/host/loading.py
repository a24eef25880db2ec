"""Import, check, construct and start a plugin on its own thread, each within its time."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from novacore.errors import NovaCoreError
from novacore.host.seat import Seat
from novacore.host.settings import build
from novacore.host.specs import Incompatible, check, hooks_of
from novacore.host.types import State
from novacore.host.worker import Call, Outcome, Worker

IMPORT_SECONDS = 10.0
START_SECONDS = 2.0


class _Failed(Exception):
    """A step that went wrong; carries what the seat's state becomes, and the words."""

    def __init__(self, state: State, words: str, trace: str = "") -> None:
        super().__init__(words)
        self.state = state
        self.trace = trace


async def import_plugin(
    seat: Seat, load: Callable[[], Any], stray: Callable[[BaseException], None], seconds: float
) -> str:
    """Import and check; on success ``seat.plugin`` is the class (or instance) that was found.

    Returns the traceback of a failure, which is left in ``seat.state`` and ``seat.detail``.
    """
    seat.worker = Worker(seat.name, stray)

    async def work() -> Any:
        begun = time.perf_counter()
        found = load()
        seat.import_ms = (time.perf_counter() - begun) * 1e3
        check(found)
        seat.hooks = hooks_of(found)
        return found

    return await _attempt(seat, work, seconds, "its import")


async def start_plugin(
    seat: Seat, options: Mapping[str, Any], services: Any, seconds: float
) -> str:
    """Construct and start what was imported; on success ``seat.plugin`` is the instance."""
    found = seat.plugin

    async def work() -> Any:
        made = build(found, seat.name, options, services) if isinstance(found, type) else found
        begin = getattr(made, "start", None)
        if begin is not None and inspect.isawaitable(waiting := begin()):
            await waiting
        return made

    return await _attempt(seat, work, seconds, "its start")


async def _attempt(
    seat: Seat, work: Callable[[], Awaitable[Any]], seconds: float, doing: str
) -> str:
    try:
        seat.plugin = await _step(seat, work, seconds, doing)
    except _Failed as failed:
        seat.fail(failed.state, str(failed))
        return failed.trace
    return ""


async def _step(seat: Seat, work: Callable[[], Awaitable[Any]], seconds: float, doing: str) -> Any:
    assert seat.worker is not None
    call = Call(work)
    seat.worker.submit(call)
    try:
        async with asyncio.timeout(seconds):
            outcome = await asyncio.wrap_future(call.future)
    except TimeoutError:
        seat.worker.abandon(call)
        raise _Failed("hung", f"{doing} took longer than {seconds:g} s") from None
    if outcome.error is None:
        return outcome.value
    raise _Failed(_state(outcome), _words(outcome, doing), outcome.trace)


def _state(outcome: Outcome) -> State:
    return "incompatible" if isinstance(outcome.error, Incompatible) else "failed"


def _words(outcome: Outcome, doing: str) -> str:
    if isinstance(outcome.error, NovaCoreError):
        return str(outcome.error)
    if isinstance(outcome.error, ModuleNotFoundError):
        return (
            f"{doing} failed ({outcome.words}); install what is missing, or, if its code lies in"
            " the workspace, trust that first with `novacore trust`"
        )
    return f"{doing} failed ({outcome.words})"
