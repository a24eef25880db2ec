"""The window by region: what a manifest's numbers come to, for every way of drawing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Manifest = Mapping[str, Any]


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


def place_of(fragment: Mapping[str, Any]) -> str:
    """Where a fragment comes from, in words: ``src/a.py:3-9 @9f3c77aa``."""
    source = fragment.get("source") or {}
    uri = str(source.get("uri") or fragment.get("id", ""))
    name = uri.removeprefix("file:")
    if start := source.get("start_line"):
        name += f":{start}-{source.get('end_line') or start}"
    version = str(source.get("version") or "")
    return f"{name} @{version[:8]}" if version and uri.startswith("file:") else name


def name_of(fragment: Mapping[str, Any]) -> str:
    """What a person calls a fragment: its place when that is a file, else the start of its text."""
    uri = str((fragment.get("source") or {}).get("uri") or "")
    preview = str(fragment.get("preview") or "")
    if fragment.get("region") in ("tools", "system"):
        return str(fragment.get("id", "")).removeprefix("tool:")
    if uri.startswith("tool:") and (call := fragment.get("call")):
        return str(call)
    if preview and (uri.startswith(("event:", "tool:")) or fragment.get("region") == "memory"):
        return preview
    return place_of(fragment).removeprefix("novacore:")


def why_of(fragment: Mapping[str, Any]) -> str:
    """Why a fragment is there; of a tool's answer without a place also how it begins."""
    reason = str(fragment.get("reason") or "")
    if fragment.get("call") and name_of(fragment) == fragment["call"]:
        return f"{reason} · {fragment.get('preview', '')}"
    return reason


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


def title_of(manifest: Manifest) -> str:
    """What the conversation is about: the first words of the user in this window."""
    for row in manifest.get("fragments", ()):
        if row["region"] == "history" and row["trust"] == "user" and row.get("preview"):
            return str(row["preview"])
    return ""


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


def find(manifest: Manifest, wanted: str) -> list[Mapping[str, Any]]:
    """Fragments and left-out candidates that ``wanted`` names: by id, its start, source or text."""
    rows: list[Mapping[str, Any]] = [
        *manifest.get("fragments", ()),
        *manifest.get("left_out", ()),
    ]
    for test in (_is, _begins, _holds):
        if hits := [row for row in rows if test(row, wanted)]:
            return hits
    return []


def _names(row: Mapping[str, Any]) -> Iterable[str]:
    uri = str((row.get("source") or {}).get("uri") or "")
    return (str(row.get("id", "")), uri, uri.partition(":")[2])


def _is(row: Mapping[str, Any], wanted: str) -> bool:
    return wanted in _names(row)


def _begins(row: Mapping[str, Any], wanted: str) -> bool:
    return any(name.startswith(wanted) for name in _names(row))


def _holds(row: Mapping[str, Any], wanted: str) -> bool:
    text = " ".join((*_names(row), str(row.get("preview", ""))))
    return wanted.casefold() in text.casefold()


def cache_words(manifest: Manifest) -> list[str]:
    """What the provider's cache was expected to hold, what it held, and what changed."""
    cache = manifest.get("cache") or {}
    words = []
    reported, predicted = cache.get("reported_read"), cache.get("predicted_read")
    if reported or predicted:  # a provider without a cache, or a first request, has nothing to tell
        words.append(f"{reported or 0:,} tokens read from the provider's cache")
        words.append(f"{predicted or 0:,} expected")
    if (same := cache.get("unchanged_prefix_bytes")) is not None:
        words.append(f"{same:,} bytes unchanged since the request before")
    if changed := cache.get("changed_section"):
        words.append(f"first change: {changed}")
    return words


def cost_words(manifest: Manifest) -> str:
    """What the request cost; empty when no price is known."""
    dollars = manifest.get("dollars")
    return "" if dollars is None else f"${dollars:.4f}"


def call_words(row: Mapping[str, Any]) -> str:
    """What came of asking a plugin; empty when it just answered."""
    if fault := row.get("fault"):
        return str(fault)
    if not row.get("ok", True):
        return "failed"
    instead = row.get("instead_of") or ()
    names = [instead] if isinstance(instead, str) else instead
    return f"answered instead of {', '.join(map(str, names))}" if names else ""


def hygiene_words(manifest: Manifest) -> list[str]:
    """What was masked, and what was repaired before sending."""
    masked = [f"{row['n']} x {row['kind']} masked" for row in manifest.get("masked", ())]
    repairs = manifest.get("repairs", ())
    return masked + [
        " ".join(f"{name}={value}" for name, value in row.items())
        if isinstance(row, Mapping)
        else str(row)
        for row in repairs
    ]
