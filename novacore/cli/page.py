"""``context --html``: one self-contained page; no script, nothing fetched, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from novacore.cli.output import count
from novacore.cli.page_chart import chart
from novacore.cli.page_fragments import dot, fragment_groups, line, shown, text
from novacore.cli.window import parts
from novacore.cli.window_words import (
    Manifest,
    cache_words,
    call_words,
    cost_words,
    hygiene_words,
    place_of,
    title_of,
)

# Belt and braces beside the escaping: even a mistake in it could load or run nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(manifest: Manifest, root: Path | None) -> str:
    """The page as HTML; ``root`` is the folder that sources are relative to."""
    name = f"Request {manifest.get('request')} of session {manifest.get('session')}"
    css = files("novacore.cli").joinpath("page.css").read_text(encoding="utf-8")
    body = "\n".join(
        (
            _header(manifest, name),
            _gauge(manifest),
            *_section("Tokens by request", chart(manifest)),
            *_section("Why the model knows this", fragment_groups(manifest, root)),
            *_section("Left out", map(_left_out, manifest.get("left_out", ()))),
            *_section(
                "Plugins asked before this request", map(_plugin, manifest.get("plugins", ()))
            ),
            *_section("Masked and repaired", map(line, hygiene_words(manifest))),
            *_section("Cache and cost", map(line, _money(manifest))),
            f"<footer>{text(name)} · assembled by version {text(manifest.get('assembler'))}"
            f" · counted by {text(manifest.get('counting'))}</footer>",
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(name)}</title>\n<style>\n{css}</style>\n"
        f"<main>\n{body}\n</main>\n</html>\n"
    )


def _header(manifest: Manifest, name: str) -> str:
    models = dict.fromkeys((manifest.get("model"), manifest.get("provider")))
    chips = (f"request {manifest.get('request')}", f"epoch {manifest.get('epoch')}", *models)
    shown_chips = "".join(f'<span class="chip">{text(chip)}</span>' for chip in chips if chip)
    title = shown(title_of(manifest) or name)
    return f"<header><h1>{title}</h1>{shown_chips}</header>"


def _gauge(manifest: Manifest) -> str:
    window = max(1, int(manifest.get("window") or 1))
    stretches = "".join(
        f'<i style="width:{part.share:.2%};background:{part.look.color}"'
        f' title="{text(part.look.label)}: {part.tokens:,} tokens"></i>'
        for part in parts(manifest)
    )
    tick = min(1.0, int(manifest.get("soft") or 0) / window)
    legend = "".join(
        f'<li title="{text(part.look.meaning)}">{dot(part.region)}{text(part.look.label)}'
        f" <b>{count(part.tokens)}</b></li>"
        for part in parts(manifest)
    )
    left = f"{int(manifest.get('used') or 0):,} of {count(window)} tokens"
    soft, hard = (count(manifest.get(limit) or 0) for limit in ("soft", "hard"))
    limits = f"compacts at {soft}, never over {hard}"
    return (
        f'<div class="gauge"><div class="bar" role="img" aria-label="{left}">{stretches}'
        f'<span class="tick" style="left:{tick:.2%}" title="soft line"></span></div>'
        f'<div class="small"><span>{left}</span><span>{limits}</span></div>'
        f'<ul class="legend">{legend}</ul></div>'
    )


def _section(title: str, rows: Iterable[str]) -> Iterator[str]:
    body = "\n".join(rows)
    if body:
        yield f"<section><h2>{title}</h2>\n{body}\n</section>"


def _left_out(row: Mapping[str, Any]) -> str:
    return (
        f'<div class="row"><span class="what">{shown(place_of(row))}'
        f'<div class="why">{text(row.get("reason"))}</div></span>'
        f'<span class="n">{int(row.get("tokens") or 0):,}</span></div>'
    )


def _plugin(row: Mapping[str, Any]) -> str:
    words = call_words(row)
    tone = "bad" if row.get("fault") or not row.get("ok", True) else "why"
    note = f'<div class="{tone}">{text(words)}</div>' if words else ""
    return (
        f'<div class="row"><span class="what">{text(row.get("plugin"))} · {text(row.get("hook"))}'
        f'{note}</span><span class="n">{float(row.get("ms") or 0):.0f} ms</span></div>'
    )


def _money(manifest: Manifest) -> list[str]:
    return [words for words in (*cache_words(manifest), cost_words(manifest)) if words]
