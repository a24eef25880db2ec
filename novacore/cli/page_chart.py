"""Tokens by request, as a small drawing: how the window filled, and what compactions did to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from novacore.cli.output import count, plural
from novacore.cli.window_words import Manifest

_MOST = 120
_WIDTH, _HEIGHT, _BAR, _BASE = 860, 96, 26, 78


def chart(manifest: Manifest) -> Iterator[str]:
    """The drawing with its caption; nothing for a single request."""
    rows = list(manifest.get("requests", ()))[-_MOST:]
    if len(rows) > 1:
        yield _drawing(rows, int(manifest.get("request") or 0), int(manifest.get("soft") or 0))
        yield f'<div class="why">{_caption(rows)}</div>'


def _drawing(rows: Sequence[Mapping[str, Any]], shown: int, soft: int) -> str:
    step = min(_BAR, _WIDTH / len(rows))
    top = max(int(row["used"]) for row in rows)
    near = soft and top * 2 >= soft  # far below the line, a line would only flatten the bars
    scale = max(round(top * 1.05), soft if near else 0, 1)
    bars = "".join(
        _bar(
            row, x=index * step, width=max(1.0, step - 3), scale=scale, now=row["request"] == shown
        )
        for index, row in enumerate(rows)
    )
    line = ""
    if near:
        y = _BASE * (1 - soft / scale)
        line = f'<line class="soft" x1="0" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
    first, last = rows[0]["request"], rows[-1]["request"]
    numbers = f'<text x="0" y="{_HEIGHT - 3}">{first}</text>' + (
        f'<text x="{(len(rows) - 1) * step:.1f}" y="{_HEIGHT - 3}">{last}</text>'
    )
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="{plural(len(rows), "request")}, at most {count(top)} tokens">'
        f"{bars}{line}{numbers}</svg>"
    )


def _bar(row: Mapping[str, Any], *, x: float, width: float, scale: int, now: bool) -> str:
    height = max(1.0, _BASE * int(row["used"]) / scale)
    kind = "now" if now else f"e{int(row['epoch']) % 2}"
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{_BASE - height:.1f}" width="{width:.1f}"'
        f' height="{height:.1f}"><title>request {int(row["request"])}:'
        f" {int(row['used']):,} tokens, epoch {int(row['epoch'])}</title></rect>"
    )


def _caption(rows: Sequence[Mapping[str, Any]]) -> str:
    told = [f"at most {count(max(int(row['used']) for row in rows))} tokens"]
    for before, after in pairwise(rows):
        if before["epoch"] != after["epoch"]:
            sizes = f"{count(int(before['used']))} to {count(int(after['used']))}"
            told.append(
                f"request {int(after['request'])} began epoch {int(after['epoch'])}: {sizes}"
            )
    return " · ".join(told[:8])
