"""A window in words: what its fragments are called, why they are there, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Manifest = Mapping[str, Any]


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


def title_of(manifest: Manifest) -> str:
    """What the conversation is about: the first words of the user in this window."""
    for row in manifest.get("fragments", ()):
        if row["region"] == "history" and row["trust"] == "user" and row.get("preview"):
            return str(row["preview"])
    return ""


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
    place = place_of(row)
    return (str(row.get("id", "")), uri, uri.partition(":")[2], place, place.partition(" @")[0])


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
    if dollars is None:
        return ""
    forecast = manifest.get("forecast")
    expected = "" if forecast is None else f", ${forecast:.4f} expected before its answer"
    return f"${dollars:.4f}{expected}"


def costs_words(manifest: Manifest) -> list[str]:
    """What the session cost by purpose, where it was not all for the turns themselves."""
    rows = manifest.get("costs") or ()
    if all(row["purpose"] == "turn" for row in rows):
        return []
    return [f"session: {row['purpose']} {_cost_of(row)}" for row in rows]


def _cost_of(row: Mapping[str, Any]) -> str:
    tokens = sum(int(row[name]) for name in ("uncached", "cache_read", "cache_write", "output"))
    dollars = row.get("dollars")
    price = "price unknown" if dollars is None else f"${dollars:.4f}"
    return f"{row['calls']} x, {tokens:,} tokens, {price}"


def call_words(row: Mapping[str, Any]) -> str:
    """What came of asking a plugin; empty when it just answered."""
    if fault := row.get("fault"):
        return str(fault)
    if not row.get("ok", True):
        return "failed"
    if not row.get("answered", True):
        return "no opinion"
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
