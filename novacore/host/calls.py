"""One guarded call of one plugin: deadline, isolation, contract, record."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from novacore.errors import ContractError
from novacore.host.copies import plain, private
from novacore.host.faults import now
from novacore.host.seat import Seat, UnderWay
from novacore.host.types import Fault, Reason
from novacore.host.words import describe, one_line
from novacore.host.worker import Call, Outcome

Check = Callable[[Any], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is asked, of whom and how long; ``late`` hears of an answer after the deadline."""

    hook: str
    request: Any
    check: Check
    seconds: float
    session: str
    turn: int
    late: Callable[[Fault], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What came of a call. ``hung``: the plugin had begun and did not come back."""

    value: Any = None
    fault: Fault | None = None
    ms: float = 0.0
    hung: bool = False


async def call(seat: Seat, asking: Asking) -> Came:
    """Ask, wait for at most the deadline, and check the answer. Raises only when cancelled."""
    assert seat.worker is not None
    begun = time.perf_counter()
    made = _submit(seat, asking)
    try:
        async with asyncio.timeout(asking.seconds):
            outcome = await asyncio.wrap_future(made.future)
    except TimeoutError:
        return _too_late(seat, asking, made, begun)
    except asyncio.CancelledError:  # the host's own: the turn was cancelled, the plugin is innocent
        _let_go(seat, made)
        raise
    ms = (time.perf_counter() - begun) * 1e3
    if outcome.error is not None:
        return Came(fault=_fault(seat, asking, "raised", outcome.words, ms, outcome.trace), ms=ms)
    return _checked(seat, asking, outcome, ms)


def _submit(seat: Seat, asking: Asking) -> Call:
    assert seat.worker is not None
    home = asyncio.get_running_loop()
    method = seat.methods[asking.hook]

    def bridge(function: Callable[..., Any]) -> Callable[..., Any]:
        return _bridged(function, home, made)

    async def work() -> Any:
        value = method(private(asking.request, bridge))
        return plain(await value if inspect.isawaitable(value) else value)

    made = Call(work)
    seat.running[made] = UnderWay(hook=asking.hook, session=asking.session, turn=asking.turn)
    made.future.add_done_callback(lambda _: seat.running.pop(made, None))
    seat.worker.submit(made)
    return made


def _bridged(
    function: Callable[..., Any], home: asyncio.AbstractEventLoop, made: Call
) -> Callable[..., Any]:
    """The host's function as a plugin may call it: a coroutine runs on the host's loop.

    Results are private copies. After its deadline a plugin gets nothing more: an ``ask`` costs.
    """

    async def awaited(coroutine: Any) -> Any:
        future = asyncio.run_coroutine_threadsafe(coroutine, home)
        return private(await asyncio.wrap_future(future), lambda f: f)

    def lent(*args: Any, **kwargs: Any) -> Any:
        if made.abandoned:
            raise ContractError("the deadline of this call has passed")
        result = function(*args, **kwargs)
        if inspect.iscoroutine(result):
            return awaited(result)
        return private(result, lambda f: f)

    return lent


def _checked(seat: Seat, asking: Asking, outcome: Outcome, ms: float) -> Came:
    if outcome.value is None:
        return Came(ms=ms)
    try:
        asking.check(outcome.value)
    except ContractError as error:
        return Came(fault=_fault(seat, asking, "refused", one_line(str(error)), ms), ms=ms)
    except Exception as error:  # a value so odd that the check itself stumbles over it
        return Came(fault=_fault(seat, asking, "refused", describe(error), ms), ms=ms)
    return Came(value=outcome.value, ms=ms)


def _too_late(seat: Seat, asking: Asking, made: Call, begun: float) -> Came:
    ms = (time.perf_counter() - begun) * 1e3
    other = next((o.hook for call, o in list(seat.running.items()) if call is not made), "")
    if not _let_go(seat, made):
        detail = f"was still busy with {other or 'another call'} after {asking.seconds:g} s"
        return Came(fault=_fault(seat, asking, "busy", detail, ms), ms=ms)

    fault = _fault(seat, asking, "deadline", f"did not answer within {asking.seconds:g} s", ms)
    made.future.add_done_callback(lambda future: _came_late(seat, asking, future.result(), begun))
    return Came(fault=fault, ms=ms, hung=True)


def _came_late(seat: Seat, asking: Asking, outcome: Outcome, begun: float) -> None:
    if isinstance(outcome.error, asyncio.CancelledError):
        return  # it gave way when it was asked to: there is no answer to drop
    ms = (time.perf_counter() - begun) * 1e3
    what = f"failed ({outcome.words})" if outcome.error else "answered"
    detail = f"{what} after {ms / 1e3:.1f} s; dropped"
    asking.late(_fault(seat, asking, "late", detail, ms, outcome.trace))


def _let_go(seat: Seat, made: Call) -> bool:
    """Abandon a call; False when it had not begun."""
    assert seat.worker is not None
    if not seat.worker.abandon(made):
        return False
    seat.stuck.add(made)
    made.future.add_done_callback(lambda _: seat.stuck.discard(made))
    return True


def _fault(
    seat: Seat, asking: Asking, reason: Reason, detail: str, ms: float, trace: str = ""
) -> Fault:
    return Fault(
        plugin=seat.name,
        hook=asking.hook,
        reason=reason,
        detail=detail,
        time=now(),
        session=asking.session,
        turn=asking.turn,
        ms=round(ms, 1),
        trace=trace,
    )


def skipped(seat: Seat, asking: Asking, reason: Reason) -> Came:
    """What stands for the answer of a plugin that is not asked any more."""
    hung = reason == "hung"
    words = "an earlier call did not come back" if hung else "three faults in a row"
    return Came(fault=_fault(seat, asking, reason, words, 0.0))
