"""Server-sent events with faults: an error event, a cut connection, an early end, a silence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from aiohttp import web

from fakellm.policy import Fault

Event = tuple[str | None, Any]
"""Event name or None, and JSON data or a raw string."""


async def send_events(
    http: web.Request,
    events: Iterable[Event],
    fault: Fault | None,
    error_event: Event,
    headers: dict[str, str],
) -> web.StreamResponse:
    """Stream ``events``; ``fault`` may replace the rest of the stream."""
    response = web.StreamResponse(headers={"content-type": "text/event-stream", **headers})
    await response.prepare(http)
    for count, event in enumerate(events):
        if (
            fault
            and count == fault.after_events
            and await _strike(http, response, fault, error_event)
        ):
            return response
        await response.write(encode(event))
    await response.write_eof()
    return response


async def _strike(
    http: web.Request, response: web.StreamResponse, fault: Fault, error_event: Event
) -> bool:
    """Carry the fault out; True when the stream is over."""
    match fault.kind:
        case "stall":
            await asyncio.sleep(fault.seconds)
            return False
        case "stream_error":
            await response.write(encode(error_event))
        case "end":
            await response.write_eof()
        case _:
            await asyncio.sleep(0.02)  # what was written must leave before the connection breaks
            abort(http)
    return True


def abort(http: web.Request) -> None:
    """Break the connection without a goodbye."""
    if http.transport:
        http.transport.abort()


def encode(event: Event) -> bytes:
    """One event in wire form."""
    name, data = event
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def chunks(text: str, size: int) -> list[str]:
    """``text`` in pieces of ``size`` characters; at least one, perhaps empty."""
    return [text[i : i + size] for i in range(0, len(text), size)] or [""]
