"""The end of the plugins: a second for all of them together, and no thread that is waited for."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Sequence

from novacore.host.faults import now
from novacore.host.seat import Seat, UnderWay
from novacore.host.types import Fault, Reason
from novacore.host.worker import Call

CLOSE_SECONDS = 0.6
JOIN_SECONDS = 0.3


def unfinished(seat: Seat) -> list[Fault]:
    """The calls that are under way. It is not the plugin's doing, but it is on record."""
    words = "had not answered when NovaCore ended"
    running = [under for call, under in list(seat.running.items()) if not call.abandoned]
    return [_fault(seat, "unfinished", words, under=under) for under in running]


async def close(seats: Sequence[Seat]) -> tuple[Fault, ...]:
    """Call ``aclose`` of every plugin, then end its thread. Gives what went wrong."""
    open_seats = [seat for seat in seats if seat.state == "active"]
    came = await asyncio.gather(*map(_close_one, open_seats))
    for seat in seats:
        if seat.worker is not None:
            seat.worker.stop()
    end = time.monotonic() + JOIN_SECONDS
    # A thread that ends has nothing to await.
    while _alive(seats) and time.monotonic() < end:  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    return tuple(fault for fault in came if fault is not None)


def _alive(seats: Sequence[Seat]) -> bool:
    return any(seat.worker is not None and seat.worker.alive() for seat in seats)


async def _close_one(seat: Seat) -> Fault | None:
    farewell = getattr(type(seat.plugin), "aclose", None)
    if farewell is None or seat.worker is None:
        return None

    async def work() -> None:
        if inspect.isawaitable(waiting := farewell(seat.plugin)):
            await waiting

    call = Call(work)
    seat.worker.submit(call)
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            outcome = await asyncio.wrap_future(call.future)
    except TimeoutError:
        seat.worker.abandon(call)
        return _fault(seat, "unfinished", f"did not close within {CLOSE_SECONDS:g} s")
    if outcome.error is None:
        return None
    return _fault(seat, "raised", f"aclose failed ({outcome.words})", outcome.trace)


def _fault(
    seat: Seat, reason: Reason, detail: str, trace: str = "", *, under: UnderWay | None = None
) -> Fault:
    under = under or UnderWay(hook="", session="", turn=0)
    return Fault(
        plugin=seat.name,
        hook=under.hook,
        reason=reason,
        detail=detail,
        time=now(),
        session=under.session,
        turn=under.turn,
        trace=trace,
    )
