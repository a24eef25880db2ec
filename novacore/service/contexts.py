"""Manifests for people: any request of a session, put together from its increments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from novacore.engine.manifest import regions
from novacore.errors import UsageError

Json = dict[str, Any]
_OWN = (
    "request",
    "epoch",
    "turn",
    "assembler",
    "model",
    "provider",
    "window",
    "window_source",
    "soft",
    "hard",
    "reserve",
    "used",
    "counting",
    "left_out",
    "plugins",
    "masked",
    "repairs",
)


def manifest(
    session_id: str,
    rows: Sequence[Json],
    number: int | None,
    *,
    current_version: Callable[[str], str | None],
) -> Json:
    """The manifest of request ``number`` (None: the newest).

    ``current_version`` gives the hash of a file as it is now, None when it cannot be read; a file
    fragment of another version is marked ``stale``. Raises UsageError for an unknown request.
    """
    requests = [row for row in rows if "request" in row]
    if not requests:
        raise UsageError("nothing was sent in this session yet: ask something first")
    wanted = requests[-1]["request"] if number is None else number
    own = next((row for row in requests if row["request"] == wanted), None)
    if own is None:
        last = requests[-1]["request"]
        raise UsageError(f"no request {wanted} in this session: it has 1 to {last}")
    fragments = [
        _with_staleness(piece, current_version)
        for row in requests
        if row["epoch"] == own["epoch"] and row["request"] <= wanted
        for piece in row["appended"]
    ]
    reply = next((row for row in rows if row.get("answer_to") == wanted), {})
    return {
        "v": 1,
        "session": session_id,
        **{key: own[key] for key in _OWN},
        "regions": regions(fragments),
        "fragments": fragments,
        "cache": _cache(own, reply, fragments),
        "usage": reply.get("usage"),
        "dollars": reply.get("dollars"),
        "totals": {
            "fragments": len(fragments),
            "estimated_tokens": sum(piece["tokens"] for piece in fragments),
            "requests": requests[-1]["request"],
        },
    }


def _cache(own: Json, reply: Json, fragments: Sequence[Json]) -> Json:
    usage = reply.get("usage") or {}
    unchanged = len(fragments) - len(own["appended"]) if own["changed_section"] is None else 0
    return {
        "predicted_read": own["predicted_read"],
        "reported_read": usage.get("cache_read"),
        "reported_write": usage.get("cache_write"),
        "unchanged_fragments": unchanged,
        "changed_section": own["changed_section"],
        "marks": own["marks"],
    }


def _with_staleness(piece: Json, current_version: Callable[[str], str | None]) -> Json:
    source: Mapping[str, Any] = piece["source"]
    uri, version = str(source["uri"]), str(source["version"] or "")
    if not (uri.startswith("file:") and version):
        return piece
    now = current_version(uri.removeprefix("file:"))
    return {**piece, "stale": now != version}
