"""Manifests for people: any request of a session, put together from its increments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from novacore.engine.manifest import regions
from novacore.errors import UsageError

if TYPE_CHECKING:
    from novacore.host import Fault

Json = dict[str, Any]
_HASH = re.compile(r"[0-9a-f]{16}")
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
    faults: Iterable[Fault] = (),
    costs: Sequence[Json] = (),
) -> Json:
    """The manifest of request ``number`` (None: the newest).

    ``costs`` are the whole session's, by purpose. ``faults`` are the plugins' of this session: one
    that came after its request was sent (a late answer, a deadline that passed meanwhile) is told
    with the last request of its turn.

    ``current_version`` gives the hash of a file as it is now, None when it cannot be read; a file
    fragment of another version is marked ``stale``. Raises UsageError for an unknown request.
    """
    requests = [row for row in rows if "request" in row]
    own = _chosen(requests, number)
    fragments = [
        _with_staleness(piece, current_version)
        for row in requests
        if row["epoch"] == own["epoch"] and row["request"] <= own["request"]
        for piece in row["appended"]
    ]
    reply = next((row for row in rows if row.get("answer_to") == own["request"]), {})
    return {
        "v": 1,
        "session": session_id,
        **{key: own[key] for key in _OWN},
        "plugins": [*own["plugins"], *_told_later(own, requests, faults)],
        "regions": regions(fragments),
        "fragments": fragments,
        "cache": _cache(own, reply, fragments),
        "usage": reply.get("usage"),
        "dollars": reply.get("dollars"),
        "forecast": own.get("forecast"),
        "costs": list(costs),
        "totals": {
            "fragments": len(fragments),
            "estimated_tokens": sum(piece["tokens"] for piece in fragments),
            "requests": requests[-1]["request"],
        },
        "requests": [{key: row[key] for key in ("request", "epoch", "used")} for row in requests],
    }


def _chosen(requests: Sequence[Json], number: int | None) -> Json:
    if not requests:
        raise UsageError("nothing was sent in this session yet: ask something first")
    last = requests[-1]["request"]
    wanted = last if number is None else number
    own = next((row for row in requests if row["request"] == wanted), None)
    if own is None:
        raise UsageError(f"no request {wanted} in this session: it has 1 to {last}")
    return own


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


def _told_later(own: Json, requests: Sequence[Json], faults: Iterable[Fault]) -> list[Json]:
    turn = [row for row in requests if row["turn"] == own["turn"]]
    if turn[-1] is not own:
        return []
    told = {_key(row) for one in requests for row in one["plugins"]}
    rows = [_fault_row(fault) for fault in faults if fault.turn == own["turn"]]
    return [row for row in rows if _key(row) not in told]


def _key(row: Json) -> tuple[str, str, str, str]:
    return row["plugin"], row["hook"], row["fault"], row["time"]


def _fault_row(fault: Fault) -> Json:
    return {
        "kind": "plugin",
        "plugin": fault.plugin,
        "hook": fault.hook,
        "ms": fault.ms,
        "ok": False,
        "answered": False,
        "fault": f"{fault.reason}: {fault.detail}",
        "time": fault.time,
        "instead_of": [],
    }


def _with_staleness(piece: Json, current_version: Callable[[str], str | None]) -> Json:
    source: Mapping[str, Any] = piece["source"]
    uri, version = str(source["uri"]), str(source["version"] or "")
    # Another form of version is a plugin's own: nothing that a file's hash could be compared with.
    if not (uri.startswith("file:") and _HASH.fullmatch(version)):
        return piece
    now = current_version(uri.removeprefix("file:"))
    return {**piece, "stale": now != version}
