"""Run one piece of work with the service, from start to orderly end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from novacore.cli.interrupt import INTERRUPT
from novacore.cli.output import hold
from novacore.cli.waiting import Waiting
from novacore.errors import NovaCoreError, UsageError

if TYPE_CHECKING:
    from novacore.service import Service
    from novacore.service.api import ServiceOptions
    from novacore.types import Mode

T = TypeVar("T")


def serve(body: Callable[[Service], T], *, cwd: Path | None = None, waiting: str = "") -> T:
    """Start the service in ``cwd``, ask it one thing that takes no waiting, close it again.

    ``waiting``: words for a person when it takes longer than a second after all. Raises
    KeyboardInterrupt after a Ctrl-C, once everything is closed.
    """

    async def ask(service: Service) -> T:
        stop, INTERRUPT.stop = INTERRUPT.stop, None  # What blocks the loop hears no cancel.
        value = body(service)
        INTERRUPT.stop = stop
        return value

    return serve_async(ask, cwd=cwd, waiting=waiting)


def serve_async(
    body: Callable[[Service], Awaitable[T]],
    *,
    cwd: Path | None = None,
    waiting: str = "",
    model: str = "",
    mode: Mode | None = None,
    assume_yes: bool = False,
    overrides: Mapping[str, Any] | None = None,
) -> T:
    """The same for work that waits: a Ctrl-C cancels it where it waits."""
    from novacore.service.api import ServiceOptions

    options = ServiceOptions(
        cwd=_folder(cwd),
        model=model,
        mode=mode,
        assume_yes=assume_yes,
        overrides=overrides or {},
    )
    try:
        with Waiting(waiting):
            return asyncio.run(_serve(options, body))
    except asyncio.CancelledError:
        if INTERRUPT.pressed:
            raise KeyboardInterrupt from None
        raise NovaCoreError("the work was cancelled before it was done") from None
    finally:
        INTERRUPT.stop = None


async def _serve(options: ServiceOptions, body: Callable[[Service], Awaitable[T]]) -> T:
    from novacore.service import Service

    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def cancel() -> None:
        if task is not None:
            task.cancel()

    INTERRUPT.stop = lambda: loop.call_soon_threadsafe(cancel)
    service = Service(options)
    INTERRUPT.leaving = service.abandon
    try:
        async with service:
            hold(service.warnings)
            return await body(service)
    finally:
        hold(service.losses)


def _folder(cwd: Path | None) -> Path:
    try:
        folder = (cwd or Path()).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        gone = f"no such folder: {cwd}" if cwd else "the working folder is gone"
        raise UsageError(gone) from error
    if not folder.is_dir():
        raise UsageError(f"not a folder: {cwd}")
    return folder
