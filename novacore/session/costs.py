"""What a session has cost, call by call: the turns' own, and every side call by its name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from novacore.types import Event

TOKENS = ("uncached", "cache_read", "cache_write", "cache_write_1h", "output")


def costs(events: Iterable[Event]) -> list[dict[str, Any]]:
    """One row for each purpose and model, in the order of their first call.

    ``{purpose, model, calls, uncached, cache_read, cache_write, cache_write_1h, output, dollars}``;
    ``dollars`` is None where the price of a call is unknown.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for event in events:
        if event.kind != "usage":
            continue
        purpose, model = str(event.data.get("purpose", "")), str(event.data.get("model") or "")
        empty = {"purpose": purpose, "model": model, "calls": 0, **dict.fromkeys(TOKENS, 0)}
        row = rows.setdefault((purpose, model), empty | {"dollars": 0.0})
        row["calls"] += 1
        for name in TOKENS:
            row[name] += int(event.data.get(name) or 0)
        dollars = event.data.get("dollars")
        if row["dollars"] is not None:
            row["dollars"] = None if dollars is None else row["dollars"] + float(dollars)
    return list(rows.values())


def priced(events: Iterable[Event]) -> bool:
    """Whether the price of any call is known; else only tokens can be told."""
    return any(e.kind == "usage" and e.data.get("dollars") is not None for e in events)


def side_call(name: str, usage: Mapping[str, Any], dollars: float | None) -> dict[str, Any]:
    """The data of a ``usage`` event for a call that a plugin paid for; of it only what is a number.

    Tokens are whole numbers from 0, dollars a finite number from 0 or unknown.
    """
    told = {key: usage.get(key) for key in TOKENS}
    tokens = {key: value for key, value in told.items() if type(value) is int and value >= 0}
    known = isinstance(dollars, int | float) and math.isfinite(dollars) and dollars >= 0
    return {
        "purpose": name,
        "model": str(usage.get("model") or "")[:100],
        **dict.fromkeys(TOKENS, 0),
        **tokens,
        "dollars": float(dollars) if known and dollars is not None else None,
    }
