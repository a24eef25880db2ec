"""Edits that name their region by its text."""

from __future__ import annotations

import re
from itertools import islice

from novacore.code.differences import nearest
from novacore.code.places import (
    Document,
    Edit,
    Place,
    Refusal,
    counterpart,
    lf,
    line_of,
    numbered,
    stale,
)

MAX_PLACES = 200_000
"""Of one edit; more are refused, never left out."""


def places_of_text(
    edit: Edit, now: Document, seen: Document | None, *, fresh: bool
) -> list[Place] | Refusal:
    """Every place of ``edit.old`` that is to change."""
    old = lf(edit.old or "")
    if not old:
        reason = "old is empty; quote the text to replace, or use start_line with end_line"
        return Refusal(status="failed", reason=reason)
    spans = occurrences(now.text, old)
    if not spans:
        return _absent(old, now, seen, fresh=fresh)
    if len(spans) > MAX_PLACES:
        reason = f"old stands more than {MAX_PLACES:,} times; quote more of it, or use a command"
        return Refusal(status="too_many", reason=reason)
    if edit.replace_all:
        if not fresh and (seen is None or len(occurrences(seen.text, old)) != len(spans)):
            first = line_of(now.text, spans[0][0])
            return stale(now, first, first, "the file has changed, and with it the places of old")
    elif len(spans) > 1:
        return _several(now, spans)
    return [Place(start=start, end=end, new=edit.new, moved=not fresh) for start, end in spans]


def occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where ``wanted`` (lines end in ``\\n``) stands, whatever the text's line endings."""
    if "\r\n" not in text or "\n" not in wanted:
        return _plain(text, wanted)
    pattern = re.compile(r"\r?\n".join(map(re.escape, wanted.split("\n"))))
    return [match.span() for match in islice(pattern.finditer(text), MAX_PLACES + 1)]


def _plain(text: str, wanted: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    at = text.find(wanted)
    while at >= 0 and len(spans) <= MAX_PLACES:
        spans.append((at, at + len(wanted)))
        at = text.find(wanted, at + len(wanted))
    return spans


def _several(now: Document, spans: list[tuple[int, int]]) -> Refusal:
    lines = [str(line_of(now.text, start)) for start, _ in spans[:50]]
    more = f" and {len(spans) - 50} more" if len(spans) > 50 else ""
    where = f"old stands {len(spans)} times, in lines {', '.join(lines)}{more}"
    return Refusal(
        status="ambiguous", reason=f"{where}; quote more of what is around it, or replace_all"
    )


def _absent(old: str, now: Document, seen: Document | None, *, fresh: bool) -> Refusal:
    before = occurrences(seen.text, old) if seen else []
    near = nearest(lf(now.text), old)
    if not fresh and (before or near):
        first, last = (near.start_line, near.end_line) if near else (1, 1)
        if seen and before:
            begin, end = _was_at(seen, now, before[0])
            first, last = (first, last) if near and begin <= first <= end else (begin, end)
        return stale(now, first, last, "the file has changed since you read it, in this region too")
    if near is None:
        return Refusal(status="not_found", reason="old is not in the file, nor anything like it")
    where = f"old is not in the file; lines {near.start_line}-{near.end_line} are most like it"
    told = "; ".join(near.differences) or "they differ in length"
    shown = numbered(now.text, near.start_line, near.end_line)
    return Refusal(status="not_found", reason=f"{where}: {told}", text=shown)


def _was_at(seen: Document, now: Document, span: tuple[int, int]) -> tuple[int, int]:
    first, last = line_of(seen.text, span[0]), line_of(seen.text, max(span[0], span[1] - 1))
    return counterpart(seen.text, now.text, first, last)
