"""Instruction files of a trusted workspace: what the user trusted stays in force, word for word.

Trust is bound to content. A file that was changed or removed since, by whomever, is data until the
user trusts the folder again; until then the rules that it held are not taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from novacore.engine.instructions import PlacedSection

_FILE = "file:"


@dataclass(frozen=True, slots=True)
class Weighed:
    """A section as it is to be told. ``doubt``: why it is data and no rule; empty when it is one.

    ``changed``: the file says something else now, in words for the person.
    """

    placed: PlacedSection
    doubt: str = ""
    changed: str = ""


class ConfirmedRules:
    """Remembers, for one session, each file's text as the user trusted it."""

    def __init__(self, *, trusted: bool, confirmed: Callable[[str], bool | None]) -> None:
        self._trusted = trusted
        self._confirmed = confirmed
        self._good: dict[str, PlacedSection] = {}

    def weigh(
        self, rules: Sequence[PlacedSection], written: Collection[str]
    ) -> tuple[Weighed, ...]:
        """The sections to tell, in their order. ``written``: paths that the agent changed."""
        told = [self._one(rule, written) for rule in rules]
        told += self._missing({rule.section.id for rule in rules}, written)
        return tuple(sorted(told, key=lambda one: one.placed.section.level))

    def _one(self, rule: PlacedSection, written: Collection[str]) -> Weighed:
        id, uri = rule.section.id, rule.section.uri
        if not self._trusted or not uri.startswith(_FILE) or self._holds(uri, written):
            self._good[id] = rule
            return Weighed(rule)
        why = _why(uri, written, "changed")
        good = self._good.get(id)
        return Weighed(good, changed=why) if good else Weighed(rule, doubt=why, changed=why)

    def _missing(self, present: Collection[str], written: Collection[str]) -> Iterator[Weighed]:
        for id, rule in list(self._good.items()):
            uri = rule.section.uri
            if id in present:
                continue
            if self._trusted and uri.startswith(_FILE) and not self._holds(uri, written):
                yield Weighed(rule, changed=_why(uri, written, "removed"))
            else:
                del self._good[id]

    def _holds(self, uri: str, written: Collection[str]) -> bool:
        path = uri.removeprefix(_FILE)
        known = self._confirmed(path)
        return path not in written if known is None else known


def _why(uri: str, written: Collection[str], what: str) -> str:
    path = uri.removeprefix(_FILE)
    who = f"{what} by agent" if path in written else f"{what} since you trusted this folder"
    return f"{path}: {who}; it is data until `novacore trust` confirms it"
