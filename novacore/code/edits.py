"""Edits of a file's bytes: exact, atomic, and never on text that the author has not seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from novacore.code import diffs
from novacore.code.by_lines import place_of_lines
from novacore.code.by_symbol import place_of_symbol
from novacore.code.by_text import places_of_text
from novacore.code.outline import parses
from novacore.code.places import Document, Edit, Place, Refusal, document, lf, line_of
from novacore.code.text import encode, is_binary, lines_of, version_of
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
    reason: str = ""


def apply_edits(
    path: str, data: bytes, edits: Sequence[Edit], *, based_on: str, last_seen: bytes | None = None
) -> EditResult:
    """Apply all ``edits`` to ``data``, or none. All name places of the file as it was read.

    ``based_on`` is the version that the author saw and ``last_seen``, when it is known, that
    version's bytes. If the file has changed since, an edit is applied to the new content where its
    region is unchanged and unique, else it is refused as ``stale``.
    """
    if is_binary(data):
        return _refused(data, Refusal(status="unreadable", reason="binary file"))
    if not 0 < len(edits) <= MAX_EDITS:
        return _refused(data, Refusal(status="failed", reason=f"give 1 to {MAX_EDITS} edits"))
    now, seen = document(path, data), None
    if last_seen is not None and version_of(last_seen) == based_on:
        seen = document(path, last_seen)
    places: list[Place] = []
    for edit in edits:
        found = _locate(edit, now, seen, fresh=based_on == version_of(data))
        if isinstance(found, Refusal):
            return _refused(data, found)
        places += found
    return _apply(now, sorted(places, key=lambda place: (place.start, place.end)))


def _locate(
    edit: Edit, now: Document, seen: Document | None, *, fresh: bool
) -> list[Place] | Refusal:
    forms = [edit.old is not None, bool(edit.symbol), bool(edit.start_line or edit.end_line)]
    if sum(forms) != 1:
        reason = "an edit has old with new, or symbol with new, or start_line and end_line with new"
        return Refusal(status="failed", reason=reason)
    if now.decoded.encoding == "unknown" and not edit.new.isascii():
        reason = "the file's encoding is unknown, so only ASCII can be written into it"
        return Refusal(status="unreadable", reason=reason)
    if edit.symbol:
        return place_of_symbol(edit, now, seen, fresh=fresh)
    if edit.old is not None:
        return places_of_text(edit, now, seen, fresh=fresh)
    return place_of_lines(edit, now, seen, fresh=fresh)


def _apply(now: Document, places: Sequence[Place]) -> EditResult:
    for before, after in pairwise(places):
        if after.start < before.end or after == before:
            line = line_of(now.text, after.start)
            reason = f"two edits overlap in line {line}; give each region once"
            return _refused(now.data, Refusal(status="failed", reason=reason))
    after_text, kept = _spliced(now, places)
    try:
        data = encode(now.decoded, after_text)
        outside = [encode(now.decoded, piece) for piece in kept]
    except UnicodeEncodeError as error:
        bad = ascii(error.object[error.start : error.end])[:40]
        reason = f"the file is {now.decoded.encoding}, which has no {bad}"
        return _refused(now.data, Refusal(status="unreadable", reason=reason))
    if not (data.startswith(outside[0]) and data.endswith(outside[1][len(now.decoded.bom) :])):
        reason = f"{now.decoded.encoding} text cannot be edited without changing bytes around it"
        return _refused(now.data, Refusal(status="unreadable", reason=reason))
    if data == now.data:
        reason = "the new text is what the file holds already"
        return _refused(now.data, Refusal(status="failed", reason=reason))
    return _done(now, places, data, after_text)


def _spliced(now: Document, places: Sequence[Place]) -> tuple[str, tuple[str, str]]:
    """The new text, and what of the old one stands before and behind all changes."""
    pieces, at = [], 0
    for place in places:
        start, end, new = _narrowed(now.text, place)
        pieces += [now.text[at:start], new]
        at = end
    return "".join([*pieces, now.text[at:]]), (pieces[0] if pieces else "", now.text[at:])


def _narrowed(text: str, place: Place) -> tuple[int, int, str]:
    """The region without the lines that stay, and the rest in the line endings of that place."""
    old, new = lines_of(text[place.start : place.end]), lines_of(lf(place.new))
    plain = [lf(line) for line in old]
    most = min(len(old), len(new))
    head = next((i for i in range(most) if plain[i] != new[i]), most)
    tail = next((i for i in range(most - head) if plain[-1 - i] != new[-1 - i]), most - head)
    start = place.start + sum(map(len, old[:head]))
    end = place.end - sum(map(len, old[len(old) - tail :]))
    fresh = "".join(new[head : len(new) - tail])
    return start, end, fresh.replace("\n", _ending(text, start, end))


def _ending(text: str, start: int, end: int) -> str:
    """The line ending of the region, else of the line that it is in, else of the one before."""
    found = re.compile(r"\r?\n").search(text, start, end) or re.compile(r"\r?\n").search(
        text, start
    )
    if found:
        return found.group()
    before = text.rfind("\n", 0, start)
    return "\r\n" if before > 0 and text[before - 1] == "\r" else "\n"


def _done(now: Document, places: Sequence[Place], data: bytes, after_text: str) -> EditResult:
    version = version_of(data)
    count = f"{len(places)} places" if len(places) > 1 else "1 place"
    notes = [f"changed {count}: now lines {_lines_now(now.text, places)}"]
    if any(place.moved for place in places):
        notes.append("the file had changed since you read it, elsewhere; its new content is kept")
    notes += [place.note.removeprefix("; ") for place in places if place.note]
    broken = parses(now.path, data) if parses(now.path, now.data) == 0 else None
    if broken:
        notes.append(f"WARNING: the file parsed before and does not parse now (line {broken})")
    diff = diffs.unified(now.path, now.text, after_text)
    return EditResult(status="ok", data=data, version=version, diff=diff, text="; ".join(notes))


def _lines_now(text: str, places: Sequence[Place]) -> str:
    """Line ranges after the edits."""
    shift, shown = 0, []
    for place in places[:20]:
        first = line_of(text, place.start) + shift
        lines = max(1, len(lines_of(place.new)))
        shown.append(f"{first}-{first + lines - 1}")
        shift += place.new.count("\n") - text.count("\n", place.start, place.end)
    return ", ".join(shown) + (" and more" if len(places) > 20 else "")


def _refused(data: bytes, refusal: Refusal) -> EditResult:
    return EditResult(
        status=refusal.status,
        data=data,
        version=version_of(data),
        text=refusal.text,
        reason=refusal.reason,
    )
