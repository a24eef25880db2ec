"""The window by region: what a manifest's numbers come to, for every way of drawing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from novacore.cli.window_words import Manifest, name_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a region is called, coloured (light and dark backgrounds) and explained."""

    label: str
    color: str
    meaning: str


LOOKS: Mapping[str, Look] = {
    "tools": Look(label="tools", color="#7c6cf0", meaning="what the agent may call"),
    "system": Look(label="system", color="#9aa3ad", meaning="how the agent works"),
    "baseline": Look(label="rules", color="#2f6feb", meaning="instruction files, environment"),
    "summary": Look(label="summary", color="#c2578f", meaning="what stands for older history"),
    "recovery": Look(label="recovery", color="#8d6e3f", meaning="files read before a compaction"),
    "history": Look(label="conversation", color="#4caf50", meaning="words, calls and answers"),
    "evidence": Look(label="evidence", color="#1b9aaa", meaning="what tools read and ran"),
    "memory": Look(label="memory", color="#d2691e", meaning="recalled for this message"),
    "restatement": Look(label="state", color="#e0a100", meaning="goal, rules and plan, restated"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One region of a window. ``share`` is of the whole window, 0 to 1."""

    region: str
    look: Look
    tokens: int
    share: float


def parts(manifest: Manifest) -> tuple[Part, ...]:
    """The regions that hold something, in the order of the request."""
    window = max(1, int(manifest.get("window") or 0))
    return tuple(
        Part(
            region=str(row["region"]),
            look=LOOKS.get(row["region"], Look(label=row["region"], color="#9aa3ad", meaning="")),
            tokens=int(row["tokens"]),
            share=int(row["tokens"]) / window,
        )
        for row in manifest.get("regions", ())
        if row["tokens"] > 0
    )


def cells(shares: Sequence[float], width: int) -> list[int]:
    """Cells of a bar of ``width`` for each share of it; what holds something has at least one.

    Never more than ``width`` together, as long as there are at most ``width`` shares.
    """
    sizes = [max(1, round(share * width)) if share > 0 else 0 for share in shares]
    while sum(sizes) > width and max(sizes) > 1:
        sizes[sizes.index(max(sizes))] -= 1
    return sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The fragments of one region, in the order of the request; ``calls`` are the model's calls."""

    part: Part
    rows: tuple[Mapping[str, Any], ...]
    calls: tuple[Mapping[str, Any], ...]


def groups(manifest: Manifest) -> Iterator[Group]:
    """The fragments by region, in the order of the request."""
    for part in parts(manifest):
        here = [row for row in manifest.get("fragments", ()) if row["region"] == part.region]
        calls = tuple(row for row in here if is_call(row))
        yield Group(part=part, rows=tuple(r for r in here if not is_call(r)), calls=calls)


def is_tool(fragment: Mapping[str, Any]) -> bool:
    """Whether a fragment is the definition of a tool."""
    return fragment.get("region") == "tools"


def is_call(fragment: Mapping[str, Any]) -> bool:
    """Whether a fragment is the model's call of a tool."""
    return fragment.get("region") == "history" and fragment.get("kind") == "observation"


def folded(fragments: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The fragments with all tools in one row, and all calls of the model in another."""
    rows = list(fragments)
    for word, test in (("tools", is_tool), ("calls", is_call)):
        members = [row for row in rows if test(row)]
        if len(members) > 1:
            first = members[0]
            rows = [row for row in rows if row is first or not test(row)]
            rows[rows.index(first)] = _fold(members, word)
    return rows


def _fold(members: Sequence[Mapping[str, Any]], word: str) -> Mapping[str, Any]:
    names = Counter(name_of(row).partition(" ")[0] for row in members)
    told = ", ".join(name if n == 1 else f"{n} {name}" for name, n in names.items())
    name = f"{len(members)} {word}: {told}"
    tokens = sum(int(row["tokens"]) for row in members)
    return {**members[0], "id": name, "preview": name, "tokens": tokens, "stale": False}
