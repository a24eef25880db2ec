"""Instructions: all plugins' sections, least specific first; no failure makes a rule vanish."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass, replace

from novacore.engine.verify.instructions import verify_instructions
from novacore.errors import RequiredPluginFailed
from novacore.host import Answer, Fault, Host
from novacore.types import InstructionsRequest, LeftOut, Section, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSection:
    """A section, whose it is, and since when its plugin could not renew it (ISO 8601, UTC)."""

    section: Section
    plugin: str
    stale_since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """The rules in force, in their order. ``warnings`` are lines for a person."""

    sections: tuple[PlacedSection, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    silent: tuple[str, ...] = ()
    """Plugins that failed and gave nothing in this process: what they told before still holds."""
    answers: tuple[Answer, ...] = ()


class InstructionsKeeper:
    """Asks for one session's instructions and keeps each plugin's last good sections."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._good: dict[str, tuple[PlacedSection, ...]] = {}

    async def collect(
        self, request: InstructionsRequest, *, turn: int = 0, told: Collection[str] = ()
    ) -> Instructions:
        """The rules that hold now. ``told`` names the plugins whose rules the model knows.

        Raises RequiredPluginFailed when a plugin that the user requires fails and never answered.
        """
        check = functools.partial(verify_instructions, request=request)
        asked = self._host.start("inject_instructions", request, check, turn=turn)
        answers = tuple([await pending.answer(refuse=False) for pending in asked])
        for answer in answers:
            self._take(answer, told)
        order = [answer.plugin for answer in answers]
        placed = [section for plugin in order for section in self._good.get(plugin, ())]
        # Stable: within a level the plugins' order stays, and each plugin's own.
        placed.sort(key=lambda p: p.section.level)
        sections, left_out = _without_twins(placed)
        return Instructions(
            sections=sections,
            left_out=left_out,
            warnings=_warnings(sections),
            faults=tuple(answer.fault for answer in answers if answer.fault is not None),
            silent=tuple(a.plugin for a in answers if a.fault and a.plugin not in self._good),
            answers=answers,
        )

    def _take(self, answer: Answer, told: Collection[str]) -> None:
        plugin, fault = answer.plugin, answer.fault
        if fault is None and answer.value is not None:
            made = (PlacedSection(section=section, plugin=plugin) for section in answer.value)
            self._good[plugin] = tuple(made)
        elif fault is not None and plugin in self._good:
            kept = self._good[plugin]
            self._good[plugin] = tuple(
                replace(p, stale_since=p.stale_since or fault.time) for p in kept
            )
        elif fault is not None and answer.fatal and plugin not in told:
            raise RequiredPluginFailed(
                f"the instructions of {plugin} are required and could not be had: {fault.detail}"
            )


def _without_twins(
    placed: list[PlacedSection],
) -> tuple[tuple[PlacedSection, ...], tuple[LeftOut, ...]]:
    kept: dict[str, PlacedSection] = {}
    left_out = []
    for candidate in placed:
        section = candidate.section
        if section.id not in kept:
            kept[section.id] = candidate
            continue
        reason = f"duplicate: {kept[section.id].plugin} gives a section of this id already"
        source = Source(uri=section.uri, version=section.version)
        left_out.append(LeftOut(id=section.id, source=source, reason=reason))
    return tuple(kept.values()), tuple(left_out)


def _warnings(sections: tuple[PlacedSection, ...]) -> tuple[str, ...]:
    own = [f"{p.section.id}: {p.section.warning}" for p in sections if p.section.warning]
    stale = [f"{p.section.id}: stale since {p.stale_since}" for p in sections if p.stale_since]
    return (*own, *stale)
