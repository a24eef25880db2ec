"""A shell command in a process group of its own, bounded in time, ended with all its children."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

GRACE_SECONDS = 2.0
"""Between the request to end and the kill, when a time limit was reached."""
CANCEL_GRACE_SECONDS = 0.03
"""The same when a person cancels, who waits."""
DRAIN_SECONDS = 0.2
"""For output that is still in the pipe when the command has ended."""
_CHUNK = 64 * 1024
_LIVE: set[int] = set()
"""The groups that were started here and not ended yet."""


def kill_all() -> None:
    """Kill every group that still runs, whoever started it. Safe in a signal handler."""
    for group in tuple(_LIVE):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


class Running:
    """A started command; made by ``start``."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        pipe: asyncio.ReadTransport,
        reader: asyncio.Task[None],
    ) -> None:
        self._process = process
        self._pipe = pipe
        self._reader = reader
        self.left_running = False
        """It ended and left processes behind, which were ended too."""

    @property
    def code(self) -> int | None:
        """Its exit code (128 + n for signal n), None while it runs."""
        code = self._process.returncode
        return code if code is None or code >= 0 else 128 - code

    async def wait(self, seconds: float) -> bool:
        """Wait until it ends; False when it still runs after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self._process.wait()
        except TimeoutError:
            return False
        await self._finish()
        return True

    async def end(self, grace: float = GRACE_SECONDS) -> None:
        """Ask its group to end, and kill what is left of it after ``grace`` seconds."""
        try:
            if self._signal(signal.SIGTERM):
                async with asyncio.timeout(grace):
                    await self._process.wait()
        except TimeoutError:
            pass
        finally:
            self.kill()
        await self._process.wait()
        await self._finish()

    def kill(self) -> None:
        """Kill the group at once."""
        self._signal(signal.SIGKILL)

    async def _finish(self) -> None:
        # A child that was left behind keeps the pipe open: wait for the end of it only a moment.
        await asyncio.wait({self._reader}, timeout=DRAIN_SECONDS)
        self.left_running = self.left_running or self._has_members()
        self.kill()
        # What left the group may hold the pipe for ever.
        await asyncio.wait({self._reader}, timeout=DRAIN_SECONDS)
        self._reader.cancel()
        self._pipe.close()
        _LIVE.discard(self._process.pid)

    def _has_members(self) -> bool:
        """Whether somebody of the group lives; the dead that nobody collected do not count."""
        if not self._signal(0) or not Path("/proc/self/stat").exists():
            return self._signal(0)
        return any(
            _group_of(stat) == self._process.pid for stat in Path("/proc").glob("[0-9]*/stat")
        )

    def _signal(self, number: int) -> bool:
        """Whether there was still somebody in the group to hear it."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True


async def start(
    command: str, *, cwd: Path, env: Mapping[str, str], output: Callable[[bytes], None]
) -> Running:
    """Start ``command`` in bash (or sh) without input; ``output`` gets what it prints, in order.

    Raises OSError when it cannot be started.
    """
    starting = asyncio.ensure_future(_started(command, cwd, env, output))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # Stopped half way it would be nobody's, and go on for ever.
        with contextlib.suppress(OSError):
            await (await asyncio.shield(starting)).end(CANCEL_GRACE_SECONDS)
        raise


async def _started(
    command: str, cwd: Path, env: Mapping[str, str], output: Callable[[bytes], None]
) -> Running:
    # A pipe of our own: asyncio's wait() would wait for everyone who holds the process's.
    read, write = os.pipe()
    opened = os.fdopen(read, "rb", buffering=0)
    try:
        process = await asyncio.create_subprocess_exec(
            *_shell(),
            command,
            cwd=cwd,
            env=dict(env),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=write,
            stderr=write,
            start_new_session=True,
        )
    except BaseException:
        opened.close()
        raise
    finally:
        os.close(write)
    _LIVE.add(process.pid)
    stream = asyncio.StreamReader(limit=_CHUNK)
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), opened
    )
    return Running(process, pipe, asyncio.ensure_future(_pump(stream, output)))


def _shell() -> list[str]:
    # Not by the user's PATH: a folder of the workspace may stand first in it.
    found = shutil.which("bash", path="/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
    return [found, "--noprofile", "--norc", "-c"] if found else ["/bin/sh", "-c"]


async def _pump(stream: asyncio.StreamReader, output: Callable[[bytes], None]) -> None:
    while data := await stream.read(_CHUNK):
        output(data)


def _group_of(stat: Path) -> int:
    """The process group in a ``/proc/<pid>/stat``; 0 for a process that is dead or gone."""
    try:
        state, _, group = stat.read_bytes().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return 0
    return 0 if state in (b"Z", b"X") else int(group)
