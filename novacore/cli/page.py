"""``context --html``: one self-contained page; no script, nothing fetched, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from novacore.cli.output import clip, count, for_terminal
from novacore.cli.window import (
    LOOKS,
    Manifest,
    cache_words,
    call_words,
    cost_words,
    hygiene_words,
    name_of,
    parts,
    place_of,
)

# Belt and braces beside the escaping: even a mistake in it could load or run nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_NAME_CHARS = 160


def render(manifest: Manifest, root: Path | None) -> str:
    """The page as HTML; ``root`` is the folder that sources are relative to."""
    title = f"Request {manifest.get('request')} of session {manifest.get('session')}"
    css = files("novacore.cli").joinpath("page.css").read_text(encoding="utf-8")
    body = "\n".join(
        (
            _header(manifest, title),
            _gauge(manifest),
            *_section("Why the model knows this", _fragments(manifest, root)),
            *_section("Left out", map(_left_out, manifest.get("left_out", ()))),
            *_section("Plugins", map(_plugin, manifest.get("plugins", ()))),
            *_section("Masked and repaired", map(_line, hygiene_words(manifest))),
            *_section("Cache and cost", map(_line, _money(manifest))),
            f"<footer>Assembled by version {_text(manifest.get('assembler'))}, "
            f"counted by {_text(manifest.get('counting'))}.</footer>",
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>\n{css}</style>\n"
        f"<main>\n{body}\n</main>\n</html>\n"
    )


def _text(value: object) -> str:
    return escape(for_terminal("" if value is None else str(value)))


def _header(manifest: Manifest, title: str) -> str:
    chips = (manifest.get("model"), manifest.get("provider"), f"epoch {manifest.get('epoch')}")
    shown = "".join(f'<span class="chip">{_text(chip)}</span>' for chip in chips if chip)
    return f"<header><h1>{_text(title)}</h1>{shown}</header>"


def _gauge(manifest: Manifest) -> str:
    window = max(1, int(manifest.get("window") or 1))
    stretches = "".join(
        f'<i style="width:{part.share:.2%};background:{part.look.color}"'
        f' title="{_text(part.look.label)}: {part.tokens:,} tokens"></i>'
        for part in parts(manifest)
    )
    tick = min(1.0, int(manifest.get("soft") or 0) / window)
    legend = "".join(
        f'<li title="{_text(part.look.meaning)}">{_dot(part.region)}{_text(part.look.label)}'
        f" {part.tokens:,}</li>"
        for part in parts(manifest)
    )
    left = f"{int(manifest.get('used') or 0):,} of {count(window)} tokens"
    soft, hard = (count(manifest.get(name) or 0) for name in ("soft", "hard"))
    lines = f"compacts at {soft}, never over {hard}"
    return (
        f'<div class="gauge"><div class="bar" role="img" aria-label="{left}">{stretches}'
        f'<span class="tick" style="left:{tick:.2%}" title="soft line"></span></div>'
        f'<div class="small"><span>{left}</span><span>{lines}</span></div>'
        f'<ul class="legend">{legend}</ul></div>'
    )


def _section(title: str, rows: Iterator[str]) -> Iterator[str]:
    body = "\n".join(rows)
    if body:
        yield f"<section><h2>{title}</h2>\n{body}\n</section>"


def _fragments(manifest: Manifest, root: Path | None) -> Iterator[str]:
    for number, row in enumerate(manifest.get("fragments", ()), 1):
        yield _fragment(row, number, root)


def _fragment(row: Mapping[str, Any], number: int, root: Path | None) -> str:
    marks = '<span class="pin">pinned</span> ' if row.get("disposition") == "pinned" else ""
    marks += '<span class="warn">stale</span> ' if row.get("stale") else ""
    name = _text(clip(name_of(row), _NAME_CHARS))
    return (
        f'<details id="f{number}"><summary><span class="what">{_dot(row.get("region"))}{name} '
        f'{marks}<div class="why">{_text(row.get("reason"))}</div></span>'
        f'<span class="n">{int(row["tokens"]):,}</span></summary>{_facts(row, root)}</details>'
    )


def _facts(row: Mapping[str, Any], root: Path | None) -> str:
    position = row.get("position") or {}
    facts = {
        "source": _link(row, root),
        "time": _text((row.get("source") or {}).get("time")),
        "what": _text(f"{row.get('kind')}, {row.get('authority')}"),
        "trust": _text(row.get("trust")),
        "stays": _text(f"{row.get('lifetime')}, {row.get('disposition')}"),
        "access": _text(row.get("access")),
        "place": _text(" ".join(f"{k} {v}" for k, v in position.items() if v != -1)),
        "id": _text(row.get("id")),
        "text": f'<span class="code">{_text(row.get("preview"))}</span>',
    }
    return f"<dl>{''.join(f'<dt>{k}</dt><dd>{v}</dd>' for k, v in facts.items() if v)}</dl>"


def _link(row: Mapping[str, Any], root: Path | None) -> str:
    place = _text(place_of(row))
    uri = str((row.get("source") or {}).get("uri") or "")
    if root is None or not uri.startswith("file:"):
        return place
    line = (row.get("source") or {}).get("start_line")
    target = (root / uri.removeprefix("file:")).as_uri() + (f"#L{line}" if line else "")
    return f'<a href="{escape(target)}">{place}</a>'


def _left_out(row: Mapping[str, Any]) -> str:
    return (
        f'<div class="row"><span class="what">{_text(clip(place_of(row), _NAME_CHARS))}'
        f'<div class="why">{_text(row.get("reason"))}</div></span>'
        f'<span class="n">{int(row.get("tokens") or 0):,}</span></div>'
    )


def _plugin(row: Mapping[str, Any]) -> str:
    words = call_words(row)
    tone = "bad" if row.get("fault") or not row.get("ok", True) else "why"
    note = f'<div class="{tone}">{_text(words)}</div>' if words else ""
    return (
        f'<div class="row"><span class="what">{_text(row.get("plugin"))} · {_text(row.get("hook"))}'
        f'{note}</span><span class="n">{float(row.get("ms") or 0):.0f} ms</span></div>'
    )


def _money(manifest: Manifest) -> list[str]:
    return [words for words in (*cache_words(manifest), cost_words(manifest)) if words]


def _line(words: str) -> str:
    return f'<div class="row"><span class="what">{_text(words)}</span></div>'


def _dot(region: object) -> str:
    look = LOOKS.get(str(region))
    return f'<span class="dot" style="background:{look.color if look else "#9aa3ad"}"></span>'
