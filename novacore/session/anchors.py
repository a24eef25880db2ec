"""Anchors: what the provider really counted, beside what was estimated for the same request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from novacore.types import Event, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One request. ``asked`` and ``counted`` are estimates, ``sent`` and ``occupancy`` real tokens.

    ``asked`` and ``sent`` are of the request alone, the other two with its answer.
    """

    request: int
    asked: int
    counted: int
    sent: int
    occupancy: int


def anchor_of(usage: Usage, *, request: int, asked: int, counted: int) -> Anchor | None:
    """The anchor that a provider's usage gives; None where it is an estimate itself."""
    if usage.estimated:
        return None
    return Anchor(
        request=request,
        asked=asked,
        counted=counted,
        sent=usage.occupancy - usage.output,
        occupancy=usage.occupancy,
    )


def anchors_in(events: Iterable[Event], model: str, counted_by: str) -> Iterator[Anchor]:
    """The anchors of a log, oldest first, as far as they are of ``model``.

    ``counted_by`` names what their estimates must have been made with, to be comparable.
    """
    for event in events:
        data = event.data
        if event.kind != "usage" or "asked" not in data or data.get("model") != model:
            continue
        if data.get("counted_by", counted_by) != counted_by:
            continue
        estimates = {name: int(data[name]) for name in ("request", "asked", "counted")}
        found = anchor_of(_usage(data), **estimates)
        if found is not None:
            yield found


def _usage(data: Mapping[str, Any]) -> Usage:
    return Usage(
        uncached=int(data.get("uncached") or 0),
        cache_read=int(data.get("cache_read") or 0),
        cache_write=int(data.get("cache_write") or 0),
        output=int(data.get("output") or 0),
        estimated=bool(data.get("estimated")),
    )
