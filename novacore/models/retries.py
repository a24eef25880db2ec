"""When to send a request again: only before anything was shown, and within a minute in all."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable

from novacore import errors

TOTAL_SECONDS = 60.0
BUSY_RETRIES = 6
CONNECTION_RETRIES = 2
FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0

Sleep = Callable[[float], Awaitable[None]]


class Backoff:
    """The retries of one request. ``sleep`` and ``clock`` (seconds) are injected for tests."""

    def __init__(self, sleep: Sleep, clock: Callable[[], float] = time.monotonic) -> None:
        self._sleep = sleep
        self._clock = clock
        self._started = clock()
        self._retries = 0
        self._slept = 0.0

    async def wait(self, failure: errors.ModelError) -> None:
        """Wait before the next attempt, or raise ``failure`` when there is none."""
        delay = self._delay(failure)
        spent = max(self._slept, self._clock() - self._started)
        if delay is None or spent + delay > TOTAL_SECONDS:
            raise failure
        self._retries += 1
        self._slept += delay
        await self._sleep(delay)

    def _delay(self, failure: errors.ModelError) -> float | None:
        busy = isinstance(failure, errors.Busy)
        if not busy and not isinstance(failure, errors.Unreachable):
            return None
        if self._retries >= (BUSY_RETRIES if busy else CONNECTION_RETRIES):
            return None
        if isinstance(failure, errors.Busy) and failure.retry_after is not None:
            return failure.retry_after
        return min(LONGEST_DELAY, FIRST_DELAY * float(2**self._retries)) * random.uniform(0.75, 1.0)
