"""The window on a terminal: a bar by region with its legend, and tables that say why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from novacore.cli.output import clip, count, one_line
from novacore.cli.window import LOOKS, cells, folded, parts
from novacore.cli.window_words import (
    Manifest,
    cache_words,
    call_words,
    cost_words,
    costs_words,
    hygiene_words,
    name_of,
    place_of,
    title_of,
    why_of,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

MOST_ROWS = 40
_WIDEST_BAR = 100
_NAME_CHARS = 56


def heading(manifest: Manifest) -> Text:
    """Which request this is, and how full the window was."""
    from rich.text import Text

    words = (
        f"Request {manifest.get('request')} of session {manifest.get('session')}"
        f" · {one_line(str(manifest.get('model')))}"
    )
    title = clip(title_of(manifest), _WIDEST_BAR)
    head = [(f"{title}\n", "bold"), (words, "")] if title else [(words, "bold")]
    return Text.assemble(*head, ("\n" + fill_words(manifest), "dim"))


def fill_words(manifest: Manifest) -> str:
    """``12,345 of 200,000 tokens (6%) · compacts at 167,000``."""
    used, window = int(manifest.get("used") or 0), int(manifest.get("window") or 0)
    percent = f" ({used / window:.1%})" if window else ""
    soft = f" · compacts at {count(manifest['soft'])}" if manifest.get("soft") else ""
    return f"{used:,} of {count(window)} tokens{percent}{soft}"


def bar(manifest: Manifest, width: int) -> Text:
    """One line: a coloured stretch for each region, the free rest, a tick at the soft line."""
    from rich.text import Text

    width = min(width, _WIDEST_BAR)
    shown = parts(manifest)
    line = Text()
    for part, size in zip(shown, cells([p.share for p in shown], width), strict=True):
        line.append("█" * size, style=part.look.color)
    free = width - len(line)
    tick = round(width * (manifest.get("soft") or 0) / max(1, manifest.get("window") or 1))
    rest = ["░"] * free
    if len(line) < tick < width:
        rest[tick - len(line)] = "│"
    return line.append("".join(rest), style="dim")


def legend(manifest: Manifest) -> Table:
    """A row for each region: colour, tokens, share, what it is."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_column(style="dim")
    for part in parts(manifest):
        name = Text.assemble(("■ ", part.look.color), part.look.label)
        table.add_row(name, f"{part.tokens:,}", f"{part.share:.1%}", part.look.meaning)
    return table


def window(manifest: Manifest, root: Path | None, width: int, *, every: bool) -> Iterator[Any]:
    """Everything about one request, as pieces to print."""
    yield heading(manifest)
    yield bar(manifest, width)
    yield legend(manifest)
    yield from titled("Why the model knows this", fragments(manifest, root, width, every=every))
    yield from titled("Left out", left_out(manifest))
    yield from titled("Plugins", plugin_calls(manifest))
    yield from titled("Masked and repaired", hygiene(manifest))
    yield from titled("Cache and cost", money(manifest))


def titled(title: str, body: RenderableType | None) -> Iterator[RenderableType]:
    """A section; nothing at all when it has no body."""
    from rich.text import Text

    if body is not None:
        yield Text(f"\n{title}", style="bold")
        yield body


def fragments(
    manifest: Manifest, root: Path | None, width: int, *, every: bool
) -> RenderableType | None:
    """Each fragment on one line; the largest ones when there are many, alike ones folded."""
    from rich.console import Group
    from rich.text import Text

    rows = list(manifest.get("fragments", ()))
    rows = rows if every else folded(rows)
    shown = set(range(len(rows)))
    if not every and len(rows) > MOST_ROWS:
        shown = set(sorted(shown, key=lambda i: -int(rows[i]["tokens"]))[:MOST_ROWS])
    if not rows:
        return None
    name_width = max(20, min(_NAME_CHARS, width // 2 - 4))
    why_width = max(12, width - name_width - 23)
    table = _table("tokens", "what", "trust", "why")
    for row in (rows[index] for index in sorted(shown)):
        name, why = _name(row, root, name_width), clip(_why(row), why_width)
        table.add_row(f"{row['tokens']:,}", name, _trust(row), why)
    hidden = len(rows) - len(shown)
    if not hidden:
        return table
    return Group(table, Text(f"… {hidden} smaller ones: --all shows them", style="dim"))


def left_out(manifest: Manifest) -> Table | None:
    """What could have been in the window and is not, and why."""
    rows = manifest.get("left_out", ())
    if not rows:
        return None
    table = _table("tokens", "what", "why")
    for row in rows:
        table.add_row(
            f"{row.get('tokens') or 0:,}", clip(place_of(row), 60), one_line(str(row["reason"]))
        )
    return table


def plugin_calls(manifest: Manifest) -> Table | None:
    """Who was asked, how long it took, and what went wrong."""
    rows = manifest.get("plugins", ())
    if not rows:
        return None
    table = _table("ms", "plugin", "hook", "")
    for row in rows:
        table.add_row(
            f"{float(row.get('ms') or 0):.0f}",
            str(row["plugin"]),
            str(row["hook"]),
            one_line(call_words(row)),
        )
    return table


def hygiene(manifest: Manifest) -> Text | None:
    """Secrets that were masked and blocks that were repaired before sending."""
    from rich.text import Text

    lines = hygiene_words(manifest)
    return Text("\n".join(map(one_line, lines)), style="yellow") if lines else None


def money(manifest: Manifest) -> Text | None:
    """Cache and cost in words."""
    from rich.text import Text

    words = [*cache_words(manifest), cost_words(manifest), *costs_words(manifest)]
    words.append(str(manifest.get("counting") or ""))
    told = [one_line(word) for word in words if word]
    return Text("\n".join(told), style="dim") if told else None


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in columns:
        numeric = name in ("tokens", "ms")
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    return table


def _trust(row: Mapping[str, Any]) -> Text:
    from rich.text import Text

    trust = str(row.get("trust", ""))
    return Text(trust, style="yellow" if trust == "untrusted" else "dim")


def _name(row: Mapping[str, Any], root: Path | None, chars: int) -> Text:
    from rich.text import Text

    look = LOOKS.get(str(row.get("region")))
    text = Text.assemble(("■ ", look.color if look else ""), clip(name_of(row), chars))
    uri = str((row.get("source") or {}).get("uri") or "")
    if root is not None and uri.startswith("file:"):
        text.stylize(f"link {(root / uri.removeprefix('file:')).as_uri()}", 2)
    return text


def _why(row: Mapping[str, Any]) -> str:
    marks = [str(row["disposition"])] if row.get("disposition") == "pinned" else []
    marks += ["stale"] if row.get("stale") else []
    return one_line(" · ".join((*marks, why_of(row))))
