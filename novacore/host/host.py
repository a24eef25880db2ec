"""Asks plugins: in a fixed order, each guarded, timed and on its own thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from novacore.errors import RequiredPluginFailed
from novacore.host.breaker import Breaker
from novacore.host.calls import Asking, Came, Check, call, skipped
from novacore.host.ending import close, unfinished
from novacore.host.listing import status_of_found, tally
from novacore.host.notices import Notice
from novacore.host.record import Record
from novacore.host.roster import Roster
from novacore.host.seat import Seat
from novacore.host.types import DEADLINES, Answer, Fault, HostConfig, PluginStatus, Reason
from novacore.services import Services


class Pending:
    """One plugin's answer that is on its way."""

    def __init__(self, plugin: str, task: asyncio.Task[Answer]) -> None:
        self.plugin = plugin
        self._task = task

    def done(self) -> bool:
        """Whether ``answer`` would return at once."""
        return self._task.done()

    def cancel(self) -> None:
        """Stop the call, as no fault of the plugin's."""
        self._task.cancel()

    async def wait(self) -> None:
        """Until the answer is there. Cancelling the wait does not end the call."""
        await asyncio.wait((self._task,))

    async def answer(self, *, refuse: bool = True) -> Answer:
        """The answer, by the deadline at the latest.

        Raises RequiredPluginFailed after a fault that the user does not accept, unless ``refuse``
        is False: then the caller looks at ``Answer.fatal``.
        """
        answer = await asyncio.shield(self._task)
        return _accepted(answer) if refuse else answer


class Host:
    """The plugins of one process: no plugin can break, block or silently leave it.

    ``make_services`` is called with a plugin's name. ``roots`` are the workspaces that are not
    trusted: nothing that lies below one is loaded. ``mask`` hides secrets in what a plugin's errors
    say. One host serves many sessions; a breaker or a hang counts for the session of the request.
    """

    def __init__(
        self,
        config: HostConfig,
        make_services: Callable[[str], Services],
        *,
        faults_file: Path | None = None,
        roots: tuple[Path, ...] = (),
        mask: Callable[[str], str] = str,
    ) -> None:
        self._config = config
        self._roots = roots
        self._record = Record(faults_file, mask)
        self._roster = Roster(config, make_services, self._record)
        self._breaker = Breaker()
        self._tasks: set[asyncio.Task[Answer]] = set()
        self._closed = False

    async def load(self, entry_points: Iterable[EntryPoint] | None = None) -> None:
        """Import, construct and start every plugin; none of them can stop this.

        None takes what is installed, after ``clean_sys_path``. Raises RequiredPluginFailed.
        """
        await self._roster.load(entry_points, self._roots)

    async def register(self, plugin: object, name: str, source: str = "") -> None:
        """Take in a class or an instance; raises PluginRefused that says what is wrong."""
        owner = plugin if isinstance(plugin, type) else type(plugin)
        await self._roster.register(plugin, name, source or owner.__module__)

    def deadline(self, hook: str) -> float:
        """Seconds that a plugin has for this hook."""
        return self._config.deadlines.get(hook, DEADLINES[hook])

    async def ask(
        self,
        hook: str,
        request: Any,
        check: Check,
        *,
        turn: int = 0,
        only: str = "",
        refuse: bool = True,
    ) -> AsyncGenerator[Answer, None]:
        """Ask one plugin after another, or the one named ``only``; stop when an answer will do.

        ``check`` raises ContractError for an answer that the hook's contract forbids. Raises
        RequiredPluginFailed after a fault that the user does not accept, unless ``refuse`` is
        False: then the caller looks at ``Answer.fatal``.
        """
        failed: dict[str, Notice | None] = {}
        for seat in self._asked(hook):
            if only not in ("", seat.name):
                continue
            answer, notice = await self._ask_one(seat, hook, request, check, turn, tuple(failed))
            if answer.fault is not None:
                failed[seat.name] = notice
            elif answer.value is not None:
                _tell(failed.values(), f"{seat.name} answered instead")
            yield _accepted(answer) if refuse else answer
        _tell(failed.values(), "no other plugin answered")

    def start(self, hook: str, request: Any, check: Check, *, turn: int = 0) -> tuple[Pending, ...]:
        """Ask every plugin at once; the answers come one by one, in the plugins' order."""
        return tuple(
            Pending(seat.name, self._in_background(seat, hook, request, check, turn))
            for seat in self._asked(hook)
        )

    def statuses(self) -> tuple[PluginStatus, ...]:
        """Every plugin that was found or registered, by name."""
        recent = self._record.faults.recent()
        left = [status_of_found(found, recent) for found in self._roster.left_out]
        loaded = [self._status(seat, recent) for seat in self._roster.seats.values()]
        return tuple(sorted((*left, *loaded), key=lambda s: (s.name, s.source)))

    def drain_faults(self) -> tuple[Fault, ...]:
        """The faults since the last call, late answers included: for the log and the manifest."""
        return self._record.faults.drain()

    def drain_notices(self) -> tuple[str, ...]:
        """Lines for the user since the last call: each new kind of failure once."""
        return self._record.lines()

    async def aclose(self) -> None:
        """Let the plugins close, for at most a second in all; a thread that is stuck is left."""
        if self._closed:
            return
        self._closed = True
        seats = tuple(self._roster.seats.values())
        faults = [fault for seat in seats for fault in unfinished(seat)]
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for fault in (*faults, *await close(seats)):
            self._record.note(fault)

    def _asked(self, hook: str) -> list[Seat]:
        if self._closed:
            return []
        if self._config.on_fault.get(hook) == "refuse" and (why := self._roster.missing(hook)):
            raise RequiredPluginFailed(why)
        return self._roster.asked(hook)

    def _in_background(
        self, seat: Seat, hook: str, request: Any, check: Check, turn: int
    ) -> asyncio.Task[Answer]:
        async def one() -> Answer:
            answer, notice = await self._ask_one(seat, hook, request, check, turn, ())
            _tell((notice,), "the turn went on without it")
            return answer

        task = asyncio.get_running_loop().create_task(one())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _ask_one(
        self, seat: Seat, hook: str, request: Any, check: Check, turn: int, failed: Sequence[str]
    ) -> tuple[Answer, Notice | None]:
        seconds = self.deadline(hook)
        if hasattr(request, "deadline"):
            request = replace(request, deadline=seconds)
        asking = Asking(
            hook=hook,
            request=request,
            check=check,
            seconds=seconds,
            session=request.session.id,
            turn=turn,
            late=self._record.note,
        )
        reason = self._why_not(seat, asking)
        came = skipped(seat, asking, reason) if reason else await call(seat, asking)
        if came.fault is not None:
            came = replace(came, fault=self._record.masked(came.fault))
        notice = self._judge(seat, asking, came)
        answer = Answer(
            plugin=seat.name,
            hook=hook,
            value=came.value,
            fault=came.fault,
            ms=round(came.ms, 3),
            instead_of=() if came.value is None else tuple(failed),
            fatal=came.fault is not None and self._is_fatal(seat.name, hook),
        )
        return answer, notice

    def _why_not(self, seat: Seat, asking: Asking) -> Reason | None:
        why = self._breaker.why_not(asking.session, seat.name, asking.hook)
        if not why and seat.stuck and self._breaker.hung_anywhere(seat.name):
            return "hung"
        return why or None

    def _judge(self, seat: Seat, asking: Asking, came: Came) -> Notice | None:
        session, hook = asking.session, asking.hook
        if came.fault is None:
            self._breaker.good(session, seat.name, hook)
            return None
        if came.fault.reason in ("hung", "off"):
            return self._record.notices.add(came.fault)
        notice = self._record.note(came.fault)
        if came.hung:
            self._breaker.hang(session, seat.name)
        elif self._breaker.fault(session, seat.name, hook):
            off = skipped(seat, asking, "off").fault
            return self._record.notices.add(off) if off else notice
        return notice

    def _is_fatal(self, name: str, hook: str) -> bool:
        return name in self._config.required or self._config.on_fault.get(hook) == "refuse"

    def _status(self, seat: Seat, recent: Sequence[Fault]) -> PluginStatus:
        count, last = tally(recent, seat.name)
        hung = seat.state == "active" and self._breaker.hung_anywhere(seat.name)
        off = self._breaker.off_somewhere(seat.name)
        words = "a call did not come back in time" if hung else ""
        words = words or (f"switched off: {', '.join(off)}" if off else "")
        return PluginStatus(
            name=seat.name,
            state="hung" if hung else seat.state,
            source=seat.source,
            hooks=seat.hooks,
            order=self._roster.place(seat),
            import_ms=round(seat.import_ms, 1),
            faults=count,
            last_fault=last,
            detail=seat.detail or words,
        )


def _accepted(answer: Answer) -> Answer:
    if answer.fatal and answer.fault is not None:
        fault = answer.fault
        raise RequiredPluginFailed(f"plugin {fault.plugin}: {fault.hook}: {fault.detail}")
    return answer


def _tell(notices: Iterable[Notice | None], words: str) -> None:
    for notice in notices:
        if notice is not None and not notice.instead:
            notice.instead = words
