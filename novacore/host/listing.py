"""The states of plugins, for people: with and without loading them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

from novacore.host.entry_points import BUILT_IN, Found, discover
from novacore.host.faults import FaultLog
from novacore.host.search_path import clean_sys_path
from novacore.host.types import Fault, HostConfig, PluginStatus


def list_without_loading(
    config: HostConfig,
    *,
    roots: tuple[Path, ...] = (),
    faults_file: Path | None = None,
    entry_points: Iterable[EntryPoint] | None = None,
) -> tuple[PluginStatus, ...]:
    """Every entry point by name, without importing anything of it; hooks are not known then.

    ``roots`` are untrusted workspaces; they leave ``sys.path``.
    """
    clean_sys_path(roots)
    recent = FaultLog(faults_file).recent()
    return tuple(status_of_found(found, recent) for found in discover(entry_points, config, roots))


def status_of_found(found: Found, recent: Sequence[Fault]) -> PluginStatus:
    """The status of an entry point that was not loaded."""
    count, last = tally(recent, found.name)
    return PluginStatus(
        name=found.name,
        state=found.state,
        source=found.source,
        faults=count,
        last_fault=last,
        detail=found.detail,
    )


def tally(recent: Sequence[Fault], plugin: str) -> tuple[int, str]:
    """How many faults a plugin has, and the last one in words."""
    mine = [fault for fault in recent if fault.plugin == plugin]
    if not mine:
        return 0, ""
    last = mine[-1]
    return len(mine), f"{last.hook or last.reason}: {last.detail} ({last.time})"


def ordered(names: Collection[str], hook: str, order: Mapping[str, Sequence[str]]) -> list[str]:
    """Plugins in the order in which a hook asks them.

    As configured, then by name; the built-in ones that are not configured stand in for all others,
    so they come last, in their own order.
    """
    first = dict.fromkeys(order.get(hook, ()))
    others = sorted(n for n in names if n not in first and n not in BUILT_IN)
    own = (n for n in BUILT_IN if n not in first)
    return [name for name in (*first, *others, *own) if name in names]
