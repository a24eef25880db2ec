"""Commands that run in the background: started, polled for what is new, stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from novacore.tools.capture import Capture, Lines
from novacore.tools.processes import Running, start

MAX_JOBS = 8
"""Running at the same time in one session."""
_UNREAD_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """What a job printed since it was last asked. ``code`` is None while it runs."""

    command: str
    text: str
    code: int | None


class Job:
    """One background command. Unread output is bounded; of more, the middle is left out."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.running: Running | None = None
        self._lines = Lines()
        self._unread = self._empty()

    def add(self, data: bytes) -> None:
        """Take up output."""
        self._unread.add(self._lines.add(data).encode())

    async def poll(self) -> Polled:
        """Whole lines that are new; at the end also the unfinished one."""
        if self.running is None:
            raise ValueError("the job was not started")
        ended = await self.running.wait(0.01)
        if ended:
            self._unread.add(self._lines.end().encode())
        text, self._unread = self._unread.text(), self._empty()
        return Polled(command=self.command, text=text, code=self.running.code if ended else None)

    def _empty(self) -> Capture:
        return Capture(whole=2 * _UNREAD_BYTES, head=_UNREAD_BYTES, tail=_UNREAD_BYTES)


class Jobs:
    """The background commands of every session. Handles are ``job-1``, ``job-2``, ..."""

    def __init__(self) -> None:
        self._by_session: dict[str, dict[str, Job]] = {}
        self._made = 0

    async def start(
        self, session: str, command: str, *, cwd: Path, env: Mapping[str, str]
    ) -> str | None:
        """The handle of a new job; None when too many run. Raises OSError."""
        jobs = self._by_session.setdefault(session, {})
        if len(jobs) >= MAX_JOBS:
            return None
        job = Job(command)
        job.running = await start(command, cwd=cwd, env=env, output=job.add)
        self._made += 1
        handle = f"job-{self._made}"
        jobs[handle] = job
        return handle

    async def poll(self, session: str, handle: str, *, stop: bool = False) -> Polled | None:
        """What is new; with ``stop`` the job is ended first. None: no such job."""
        job = self._by_session.get(session, {}).get(handle)
        if job is None or job.running is None:
            return None
        if stop:
            await job.running.end()
        polled = await job.poll()
        if polled.code is not None:
            del self._by_session[session][handle]
        return polled

    def handles(self, session: str) -> tuple[str, ...]:
        """The jobs of ``session`` whose end was not yet reported."""
        return tuple(self._by_session.get(session, {}))

    async def close(self, session: str = "") -> None:
        """End every job of ``session``, or of all sessions."""
        names = [session] if session else list(self._by_session)
        jobs = [job for name in names for job in self._by_session.pop(name, {}).values()]
        await asyncio.gather(*(job.running.end() for job in jobs if job.running))
