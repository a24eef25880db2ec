"""A plugin's own thread with its own event loop, which nothing waits for for ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from novacore.host.words import describe, frames

FAREWELL = 0.2
"""Seconds that the tasks of a stopping plugin have to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a call: a value, or what was raised, in words made on the plugin's thread."""

    value: Any = None
    error: BaseException | None = None
    words: str = ""
    trace: str = ""


@dataclass(slots=True, eq=False)
class Call:
    """Work that was given to a plugin's thread."""

    work: Callable[[], Awaitable[Any]]
    # An Outcome even when the work raises: a SystemExit or CancelledError as a future's exception
    # would act on whoever awaits it.
    future: Future[Outcome] = field(default_factory=Future)
    task: asyncio.Task[None] | None = None
    abandoned: bool = False


class Worker:
    """A daemon thread that runs a plugin's code and survives whatever that code raises."""

    def __init__(self, name: str, stray: Callable[[BaseException], None]) -> None:
        self._stray = stray
        self._stopping = False
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(self._on_exception)
        self._loop.set_default_executor(_DaemonThreads())
        self._thread = threading.Thread(target=self._serve, name=f"plugin-{name}", daemon=True)
        self._thread.start()

    def submit(self, call: Call) -> None:
        """Queue a call; its future always gets an ``Outcome``, unless it is cancelled first."""
        self._loop.call_soon_threadsafe(self._begin, call)

    def abandon(self, call: Call) -> bool:
        """Ask the call to stop and wait no more. False: it had not even begun, and never will."""
        call.abandoned = True
        if call.future.cancel():
            return False
        if call.task is not None and not self._stopping:
            self._loop.call_soon_threadsafe(call.task.cancel)
        return True

    def stop(self) -> None:
        """End the thread as soon as its code gives way; returns at once."""
        if not self._stopping:
            self._stopping = True
            self._loop.call_soon_threadsafe(self._loop.stop)

    def alive(self) -> bool:
        """Whether the thread still runs."""
        return self._thread.is_alive()

    def _begin(self, call: Call) -> None:
        call.task = self._loop.create_task(self._run(call))

    async def _run(self, call: Call) -> None:
        if not call.future.set_running_or_notify_cancel():
            return
        try:
            outcome = Outcome(value=await call.work())
        except BaseException as error:  # of the plugin's; the host never runs on this thread
            outcome = Outcome(error=error, words=describe(error), trace=frames(error))
        call.future.set_result(outcome)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        while not self._stopping:
            try:
                self._loop.run_forever()
            except BaseException as error:  # SystemExit in a task ends run_forever, not the plugin
                self._stray(error)
        try:
            self._loop.run_until_complete(self._farewell())
        except BaseException as error:
            self._stray(error)
        self._loop.close()

    async def _farewell(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=FAREWELL)
        await self._loop.shutdown_asyncgens()

    def _on_exception(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not self._stopping:
            self._stray(error or RuntimeError(context.get("message", "unknown")))


class _DaemonThreads(ThreadPoolExecutor):
    """Threads for ``asyncio.to_thread``. Python joins a pool's own threads before it ends."""

    @override
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        return future
