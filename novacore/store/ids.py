"""Ids that sort by time: UUID version 7 for events, short names for sessions."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from uuid import UUID

_RANDOM_BITS = 74
_LAST_TICK = 2**48 - 2**32
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


class EventIds:
    """UUIDs of version 7 (RFC 9562), each greater than the one before, whatever the clock does.

    ``clock`` gives seconds since the epoch. ``after`` is the newest id of an earlier process.
    """

    def __init__(self, clock: Callable[[], float] = time.time, after: str = "") -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._tick, self._low = _parts(after)

    def next(self) -> str:
        """The next id, in the usual hexadecimal form."""
        with self._lock:
            tick = int(self._clock() * 1000)
            if tick > self._tick:
                # The top bit stays free, so that steps inside one millisecond do not overflow.
                self._tick, self._low = tick, _random(_RANDOM_BITS - 1)
            else:
                self._low += 1 + _random(32)
            if self._low >> _RANDOM_BITS:
                self._tick, self._low = self._tick + 1, _random(_RANDOM_BITS - 1)
            return _uuid(self._tick, self._low)


def session_id(now: float) -> str:
    """A new id such as ``20261001-153012-k7f3``: time in UTC, then 20 random bits."""
    day = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    return f"{day}-{''.join(_LETTERS[byte & 31] for byte in os.urandom(4))}"


def timestamp(now: float) -> str:
    """ISO 8601 in UTC with milliseconds, of seconds since the epoch."""
    whole, milli = divmod(int(now * 1000), 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{milli:03d}Z"


def _random(bits: int) -> int:
    return int.from_bytes(os.urandom(10)) >> (80 - bits)


def _uuid(tick: int, low: int) -> str:
    high, tail = divmod(low, 2**62)
    return str(UUID(int=tick << 80 | 7 << 76 | high << 64 | 2 << 62 | tail))


def _parts(text: str) -> tuple[int, int]:
    try:
        value = UUID(text).int
    except ValueError:
        return 0, 0
    tick = value >> 80
    # A damaged id of the far future must not decide all later ones.
    if (value >> 76) & 15 != 7 or tick > _LAST_TICK:
        return 0, 0
    return tick, ((value >> 64) & 0xFFF) << 62 | value & (2**62 - 1)
