"""The head of an epoch after a compaction: rebuilt from the boundary event, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from novacore.engine import labels
from novacore.engine.boundary import Lookup, OutputLines, boundary_from_json, render_head
from novacore.engine.rows import Count, Row, part_row, text_row
from novacore.types import Event, Source


def head_rows(
    event: Event,
    lookup: Lookup,
    count: Count,
    *,
    output_lines: OutputLines | None = None,
) -> Iterator[Row]:
    """Baseline, summary, kept user messages, kept evidence, recovery attachment - in this order.

    ``lookup`` finds an event of the log by id; ``output_lines`` as in ``boundary.render_head``.
    """
    baseline: Mapping[str, Any] = event.data.get("baseline") or {}
    for part in baseline.get("parts", ()):
        yield part_row(part, event, count, head=True)
    boundary = boundary_from_json(event.data["boundary"])
    head = render_head(boundary, lookup, output_lines=output_lines)
    for index, part in enumerate(head):
        yield text_row(
            labels.USER if part.kind == "kept_user" else labels.SUMMARY,
            part.text,
            id=f"{event.id}#{index}",
            event=event.id,
            source=Source(uri=f"event:{event.id}", time=event.ts),
            reason=_REASONS.get(part.kind, "kept by the compaction"),
            count=count,
            head=True,
        )
    if recovery := event.data.get("recovery"):
        yield text_row(
            labels.RECOVERY,
            str(recovery),
            id=f"{event.id}#recovery",
            event=event.id,
            source=Source(uri=f"event:{event.id}", time=event.ts),
            reason="files that were in use, as they were at the compaction",
            count=count,
            head=True,
        )


_REASONS = {
    "summary": "derived from the events before the compaction",
    "kept_user": "the user's own words, kept verbatim",
    "kept": "kept by reference, rendered from the log",
}
