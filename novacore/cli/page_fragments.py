"""The fragments of a window on the page: by region, each with its reason and its facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from novacore.cli.output import clip, for_terminal, plural
from novacore.cli.window import LOOKS, Group, groups, is_call
from novacore.cli.window_words import Manifest, name_of, place_of, why_of

_NAME_CHARS = 160
# What hardly changes from request to request stays folded until somebody asks.
_FOLDED = ("tools", "system")


def fragment_groups(manifest: Manifest, root: Path | None) -> Iterator[str]:
    """A block for each region that holds something, in the order of the request."""
    for group in groups(manifest):
        rows = "".join(_fragment(row, root) for row in group.rows)
        if group.calls:
            rows += _calls(group, root)
        state = "" if group.part.region in _FOLDED else " open"
        number = plural(len(group.rows) + len(group.calls), "fragment")
        yield (
            f'<details class="group"{state}><summary><span class="what">'
            f"{dot(group.part.region)}<b>{text(group.part.look.label)}</b> "
            f'<span class="why">{text(group.part.look.meaning)} · {number}</span></span>'
            f'<span class="n">{group.part.tokens:,}</span></summary>{rows}</details>'
        )


def _calls(group: Group, root: Path | None) -> str:
    rows = "".join(_fragment(row, root) for row in group.calls)
    tokens = sum(int(row["tokens"]) for row in group.calls)
    return (
        f'<details class="sub"><summary><span class="what">{plural(len(group.calls), "call")}'
        f' <span class="why">of tools by the model</span></span><span class="n">{tokens:,}</span>'
        f"</summary>{rows}</details>"
    )


def _fragment(row: Mapping[str, Any], root: Path | None) -> str:
    marks = '<span class="pin">pinned</span> ' if row.get("disposition") == "pinned" else ""
    marks += '<span class="warn">stale</span> ' if row.get("stale") else ""
    marks += '<span class="warn">untrusted</span> ' if row.get("trust") == "untrusted" else ""
    return (
        f'<details class="item"><summary><span class="what"><div class="name">{_name(row, root)}'
        f'</div><div class="why">{shown(why_of(row))}</div></span>'
        f'<span class="marks">{marks}</span>'
        f'<span class="n">{int(row["tokens"]):,}</span></summary>{_facts(row, root)}</details>'
    )


def _name(row: Mapping[str, Any], root: Path | None) -> str:
    name = name_of(row)
    if name == place_of(row):
        return _link(row, root)
    if name == row.get("call") or is_call(row):
        tool, _, words = clip(name, _NAME_CHARS).partition(" ")
        return f'{text(tool)} <span class="code">{text(words)}</span>'
    return shown(name)


def _facts(row: Mapping[str, Any], root: Path | None) -> str:
    position = row.get("position") or {}
    facts = {
        "source": _link(row, root),
        "time": text((row.get("source") or {}).get("time")),
        "asked": text(row.get("call")),
        "what": text(f"{row.get('kind')}, {row.get('authority')}"),
        "trust": text(row.get("trust")),
        "stays": text(f"{row.get('lifetime')}, {row.get('disposition')}"),
        "access": text(row.get("access")),
        "place": text(" ".join(f"{k} {v}" for k, v in position.items() if v != -1)),
        "id": text(row.get("id")),
        "text": f'<span class="code">{text(row.get("preview"))}</span>',
    }
    return f"<dl>{''.join(f'<dt>{k}</dt><dd>{v}</dd>' for k, v in facts.items() if v)}</dl>"


def _link(row: Mapping[str, Any], root: Path | None) -> str:
    place = shown(place_of(row))
    source = row.get("source") or {}
    uri = str(source.get("uri") or "")
    if root is None or not uri.startswith("file:"):
        return place
    start = source.get("start_line")
    target = (root / uri.removeprefix("file:")).as_uri() + (f"#L{start}" if start else "")
    return f'<a href="{escape(target)}">{place}</a>'


def dot(region: object) -> str:
    """The square in the colour of a region."""
    look = LOOKS.get(str(region))
    return f'<span class="dot" style="background:{look.color if look else "#9aa3ad"}"></span>'


def line(words: str) -> str:
    """A row of nothing but words."""
    return f'<div class="row"><span class="what">{text(words)}</span></div>'


def shown(value: str) -> str:
    """One line of bounded length, escaped."""
    return text(clip(value, _NAME_CHARS))


def text(value: object) -> str:
    """``value`` escaped, its control characters made visible."""
    return escape(for_terminal("" if value is None else str(value)))
