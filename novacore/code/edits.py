"""Edits of a file's bytes: exact, atomic, and never on text that the author has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from novacore.code import diffs
from novacore.code.outline import parses
from novacore.code.places import Edit, Document, Place, Refusal, document, locate, numbered
from novacore.code.text import Decoded, encode, is_binary, version_of
from novacore.types import Status

__all__ = ["Edit", "EditResult", "apply_edits"]

MAX_EDITS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EditResult:
    """What came of the edits.

    ``ok``: ``data`` is the new file and ``version`` its hash. Else nothing changed, ``data`` and
    ``version`` are the current file's: ``stale`` (``text`` shows the current region with line
    numbers), ``not_found``, ``ambiguous`` (``reason`` names the lines), ``unreadable``, ``failed``.
    """

    status: Status
    data: bytes
    version: str
    diff: str = ""
    text: str = ""
    """For the model."""
    reason: str = ""


def apply_edits(
    path: str, data: bytes, edits: Sequence[Edit], *, based_on: str, last_seen: bytes | None = None
) -> EditResult:
    """Apply all ``edits`` to ``data``, or none. All of them name places of the file as it was read.

    ``based_on`` is the version that the author saw and ``last_seen``, when it is known, that
    version's bytes. If the file has changed since, an edit is applied to the new content where its
    region is unchanged and unique, else it is refused as ``stale``.
    """
    version = version_of(data)
    if problem := _problem(data, edits):
        return problem
    now = document(path, data)
    seen = document(path, last_seen) if _is(last_seen, based_on) and last_seen is not None else None
    places: list[Place] = []
    for edit in edits:
        found = locate(edit, now, seen, fresh=based_on == version)
        if isinstance(found, Refusal):
            return _refused(data, found)
        places += found
    return _apply(now, sorted(places, key=lambda place: (place.start, place.end)))
