"""Which plugins are in use: found, imported, constructed, started, and in which order asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from novacore.errors import PluginRefused, RequiredPluginFailed
from novacore.host import loading
from novacore.host.entry_points import Found, discover, nearest
from novacore.host.listing import ordered
from novacore.host.record import Record
from novacore.host.search_path import clean_sys_path
from novacore.host.seat import Seat
from novacore.host.specs import Specs
from novacore.host.types import HostConfig
from novacore.host.words import describe, frames
from novacore.services import Services


class Roster:
    """The seats of one host, and the entry points that were left out."""

    def __init__(
        self, config: HostConfig, make_services: Callable[[str], Services], record: Record
    ) -> None:
        self._config = config
        self._make_services = make_services
        self._record = record
        self._specs = Specs()
        self.seats: dict[str, Seat] = {}
        self.left_out: list[Found] = []

    async def load(self, points: Iterable[EntryPoint] | None, roots: tuple[Path, ...]) -> None:
        """Take in every entry point; raises RequiredPluginFailed, and nothing else."""
        clean_sys_path(roots)
        seats = []
        for found in discover(points, self._config, roots):
            if found.state == "found":
                seats.append(await self._import(found.name, found.source, found.point.load))
                continue
            self.left_out.append(found)
            if found.state != "disabled":
                self._record.not_loaded(found.name, found.detail)
        await asyncio.gather(*map(self._start, seats))
        self._check_names()
        self._check_required()

    async def register(self, plugin: object, name: str, source: str) -> None:
        """Take in a class or an instance; raises PluginRefused."""
        if (taken := self.seats.get(name)) is not None and taken.state == "active":
            raise PluginRefused(
                f"two plugins are called `{name}`: {taken.source} is used and {source} is refused"
            )
        seat = await self._import(name, source, lambda: plugin)
        await self._start(seat)
        if seat.state != "active":
            raise PluginRefused(f"plugin {name} ({source}): {seat.detail}")

    def asked(self, hook: str) -> list[Seat]:
        """The plugins that implement a hook, in the order in which it asks them."""
        having = self._specs.implementations(hook)
        return [self.seats[name] for name in ordered(having, hook, self._config.order)]

    def place(self, seat: Seat) -> dict[str, int]:
        """By hook: the plugin's place among those that are asked, from 1."""
        return {hook: self.asked(hook).index(seat) + 1 for hook in seat.methods}

    def missing(self, hook: str) -> str:
        """Words for the first plugin that is ordered for a hook and not in use; mostly nothing."""
        for name in self._config.order.get(hook, ()):
            seat = self.seats.get(name)
            if name not in self._config.disabled and (seat is None or seat.state != "active"):
                return f"plugin {name} is to answer {hook}, and is not in use: {self._why(name)}"
        return ""

    async def _import(self, name: str, source: str, load: Callable[[], Any]) -> Seat:
        seat = self.seats[name] = Seat(name, source)
        seconds = self._config.deadlines.get("import", loading.IMPORT_SECONDS)
        stray = self._record.stray(name)
        self._settle(seat, await loading.import_plugin(seat, load, stray, seconds))
        return seat

    async def _start(self, seat: Seat) -> None:
        if seat.state != "found":
            return
        trace = ""
        try:
            services = self._make_services(seat.name)
        except Exception as error:
            seat.fail("failed", f"its services could not be made ({describe(error)})")
            trace = frames(error)
        else:
            seconds = self._config.deadlines.get("start", loading.START_SECONDS)
            options = self._config.options.get(seat.name, {})
            trace = await loading.start_plugin(seat, options, services, seconds)
            self._enter(seat)
        self._settle(seat, trace)

    def _enter(self, seat: Seat) -> None:
        if seat.state != "found":
            return
        try:
            self._specs.register(seat.plugin, seat.name)
            seat.methods = {h: self._specs.implementations(h)[seat.name] for h in seat.hooks}
        except Exception as error:  # pluggy's own checks, or the plugin's __eq__
            seat.fail("failed", describe(error))
        else:
            seat.state = "active"

    def _settle(self, seat: Seat, trace: str) -> None:
        if seat.state not in ("found", "active"):
            self._record.not_loaded(seat.name, seat.detail, trace)

    def _check_names(self) -> None:
        known = sorted({*self.seats, *(found.name for found in self.left_out)})
        for name, key in self._named():
            if name not in known:
                line = f"{key} names `{name}`, which is not installed{nearest(name, known)}"
                self._record.notices.say(line)

    def _named(self) -> Iterator[tuple[str, str]]:
        yield from ((name, "plugins.disabled") for name in self._config.disabled)
        yield from ((name, "plugins.options") for name in self._config.options)
        for hook, names in self._config.order.items():
            yield from ((name, f"plugins.order.{hook}") for name in names)

    def _check_required(self) -> None:
        for name in self._config.required:
            if name not in self.seats or self.seats[name].state != "active":
                raise RequiredPluginFailed(
                    f"the required plugin {name} is not in use: {self._why(name)}; repair it, or "
                    "take it out of plugins.required"
                )

    def _why(self, name: str) -> str:
        if name in self.seats:
            return self.seats[name].detail
        left = [found.detail for found in self.left_out if found.name == name]
        return left[0] if left else "it is not installed"
