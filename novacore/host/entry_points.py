"""Entry points: which plugins there are, told without importing any of them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path

from novacore.hookspecs import ENTRY_POINT_GROUP
from novacore.host.search_path import in_workspace
from novacore.host.types import HostConfig, State
from novacore.host.words import describe

DISTRIBUTION = "novacore-agent"
BUILT_IN = (
    "spill_logs",
    "spill_files",
    "compact_state",
    "recall_lexical",
    "instructions",
    "tools_default",
)
"""Names that only NovaCore's own distribution may claim."""
_BUILT_IN_PACKAGE = "novacore_plugins."
_FAMILY = ENTRY_POINT_GROUP.rpartition(".")[0] + ".v"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An entry point, and why it is not to be loaded: ``state`` is ``found`` when it is."""

    name: str
    source: str
    point: EntryPoint
    state: State = "found"
    detail: str = ""


def discover(
    points: Iterable[EntryPoint] | None, config: HostConfig, roots: Sequence[Path]
) -> tuple[Found, ...]:
    """Every entry point of a plugin, by name; None looks at what is installed.

    ``roots`` are workspaces that are not trusted: what lies below one is refused.
    """
    result: list[Found] = []
    looked = _installed(result) if points is None else points
    # Not by the points' own equality, which knows nothing of the distribution.
    known = {(point.name, name_of(point.dist), point.value): point for point in looked}
    taken: dict[str, Found] = {}
    for _, point in sorted(known.items(), key=lambda pair: pair[0]):
        found = _judge(point, taken, config, roots)
        if found.state in ("found", "disabled"):
            taken[point.name] = found
        result.append(found)
    return tuple(result)


def nearest(name: str, names: Iterable[str]) -> str:
    """Words that suggest a name, or nothing."""
    near = difflib.get_close_matches(name, list(names), 1, 0.6)
    return f"; did you mean `{near[0]}`?" if near else ""


def source_of(point: EntryPoint) -> str:
    """The distribution and its version; without one, where the entry point leads."""
    if point.dist is None:
        return point.value
    name = name_of(point.dist)
    return f"{name} {point.dist.version}" if name else str(_place(point.dist))


def _judge(
    point: EntryPoint, taken: dict[str, Found], config: HostConfig, roots: Sequence[Path]
) -> Found:
    source = source_of(point)
    state, detail = _refusal(point, roots)
    if not detail and point.name in taken:
        state, detail = "failed", _duplicate(point.name, taken[point.name].source, source)
    if not detail and point.name in config.disabled:
        state, detail = "disabled", "disabled by the configuration"
    return Found(name=point.name, source=source, point=point, state=state, detail=detail)


def _refusal(point: EntryPoint, roots: Sequence[Path]) -> tuple[State, str]:
    if (place := _place(point.dist)) is not None and in_workspace(place, roots):
        return "failed", f"it lies in the workspace, which is not trusted ({place})"
    if point.group != ENTRY_POINT_GROUP:
        return "incompatible", f"it is for {point.group}; this NovaCore reads {ENTRY_POINT_GROUP}"
    if point.name in BUILT_IN and not _is_ours(point):
        words = f"`{point.name}` is the name of a built-in plugin; give this one another name"
        return "failed", words
    return "found", ""


def _is_ours(point: EntryPoint) -> bool:
    name = DISTRIBUTION if point.dist is None else name_of(point.dist)
    return name == DISTRIBUTION and point.value.startswith(_BUILT_IN_PACKAGE)


def _duplicate(name: str, first: str, second: str) -> str:
    return (
        f"two plugins are called `{name}`: {first} is used and {second} is refused; uninstall one "
        "of them"
    )


def _installed(broken: list[Found]) -> Iterator[EntryPoint]:
    """By distribution: one unreadable file makes ``entry_points()`` fail for everything."""
    seen: set[str] = set()
    for dist in distributions():
        try:
            text = dist.read_text("entry_points.txt") or ""
            if _FAMILY not in text or (name := name_of(dist)) in seen:
                continue
            seen.add(name)
            points = tuple(dist.entry_points)
        except Exception as error:  # whatever stands in a file that others wrote
            broken.append(_unreadable(dist, error))
            continue
        yield from (p for p in points if p.group.startswith(_FAMILY))


def _unreadable(dist: Distribution, error: Exception) -> Found:
    name = name_of(dist) or str(_place(dist))
    detail = f"its entry_points.txt cannot be read ({describe(error)}); reinstall it"
    point = EntryPoint(name, "", ENTRY_POINT_GROUP)
    return Found(name=name, source=name, point=point, state="failed", detail=detail)


def name_of(dist: Distribution | None) -> str:
    """The normalised name (PEP 503) of a distribution; empty when it has none."""
    try:
        name = dist.metadata["Name"] if dist else None
    except Exception:  # no metadata at all: then it has no name either
        name = None
    return re.sub(r"[-_.]+", "-", name).lower() if name else ""


def _place(dist: Distribution | None) -> Path | None:
    return None if dist is None else Path(str(dist.locate_file("")))
