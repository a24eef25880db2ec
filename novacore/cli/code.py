"""``novacore read``, ``outline`` and ``find``: code by symbol, line or byte."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novacore.cli import output
from novacore.cli.options import AsJson, Cwd
from novacore.cli.output import one_line, plural
from novacore.cli.serving import serve

if TYPE_CHECKING:
    from novacore.types import Outline, ReadResult, Symbol

_FLAGS = {
    "partial": "the file does not parse as a whole; what was recovered is approximate",
    "generated": "the file is generated",
    "minified": "the file is minified",
    "ignored": "the file is ignored by git",
    "approximate": "the range is approximate",
}
_SIGNATURE_CHARS = 160

Spec = Annotated[
    str,
    typer.Argument(
        metavar="PATH[::NAMEPATH|:L1-L2|@B1-B2]", help="A file, a symbol, lines or bytes of it."
    ),
]

# A plain text: typer would look at the file first, with exit codes and words of its own.
File = Annotated[str, typer.Argument(metavar="PATH", help="A file.")]


def read(
    spec: Spec,
    outline: Annotated[bool, typer.Option("--outline", help="The symbols instead.")] = False,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most estimated tokens of text.")] = 8_000,
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """Read a symbol, a range, or a whole small file."""
    result = serve(
        lambda service: service.read(spec, outline=outline, max_tokens=max_tokens), cwd=cwd
    )
    if as_json:
        output.print_json("read", _read_data(result), _flags(result))
    else:
        _show_read(result)
    _finish(result)


def outline(path: File, cwd: Cwd = None, as_json: AsJson = False) -> None:
    """The symbols of a file, with lines and signatures."""
    result = serve(lambda service: service.outline(path), cwd=cwd)
    if as_json:
        output.print_json("outline", _outline_data(result), _flags(result))
    elif result.status == "ok":
        output.warn(_flags(result))
        head = f"{one_line(result.path)}  {result.language}  {plural(result.lines, 'line')}"
        output.say(f"{head}  @{result.version[:8]}")
        _list(result.symbols)
    _finish(result)


def find(
    name: Annotated[str, typer.Argument(help="A symbol's name or name path.")],
    limit: Annotated[int, typer.Option(min=1, help="Most hits.")] = 50,
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """Find symbols by name, exact ones first."""
    hits = serve(
        lambda service: service.find(name, limit=limit),
        cwd=cwd,
        waiting=f"looking for {output.clip(name, 60)}",
    )
    if as_json:
        output.print_json("find", {**output.plain(hits), "query": name})
    else:
        for hit in hits.hits:
            lines = f"{hit.line}-{hit.end_line}" if hit.end_line > hit.line else str(hit.line)
            named = f"  {one_line(hit.name_path)}" if hit.name_path else ""
            text = output.clip(hit.text or hit.kind, _SIGNATURE_CHARS)
            output.say(f"{one_line(hit.path)}:{lines}{named}  {text}".rstrip())
        if hits.total > len(hits.hits):
            output.warn([f"{len(hits.hits)} of {hits.total} shown; --limit raises it"])
    _finish(hits, f"no symbol is called {name}; `novacore outline PATH` lists a file's")


def _show_read(result: ReadResult) -> None:
    output.warn(_flags(result))
    if result.range is not None:
        lines = f":{result.range.start_line}-{result.range.end_line}"
        named = f"  {one_line(result.name_path)}  {result.kind}" if result.name_path else ""
        output.say(f"{one_line(result.path)}{lines}{named}  @{result.version[:8]}")
    if result.text:
        output.say(result.text.removesuffix("\n"))
    _list(result.outline)
    for candidate in result.candidates:
        place = f"{one_line(candidate.path)}:{candidate.start_line}-{candidate.end_line}"
        output.say(f"{place}  {one_line(candidate.name_path)}  {candidate.kind}")
    if result.nearest:
        output.say(f"nearest: {', '.join(map(one_line, result.nearest))}")


def _list(symbols: Iterable[Symbol]) -> None:
    for symbol in symbols:
        lines = f"{symbol.range.start_line}-{symbol.range.end_line}"
        text = output.clip(symbol.signature or symbol.name, _SIGNATURE_CHARS)
        output.say(f"{lines:>11}  {'  ' * symbol.depth}{text}")


def _finish(result: Any, otherwise: str = "") -> None:
    """A status that is not ok is one line and exit code 1."""
    if result.status == "ok":
        return
    reason = result.reason or otherwise or result.status
    output.complain(f"{result.status}: {reason}")
    raise typer.Exit(3 if result.status == "denied" else 1)


def _flags(result: Any) -> list[str]:
    return [words for name, words in _FLAGS.items() if getattr(result, name, False)]


def _read_data(result: ReadResult) -> dict[str, Any]:
    return {**output.plain(result), "outline": [_symbol(s) for s in result.outline]}


def _outline_data(result: Outline) -> dict[str, Any]:
    return {**output.plain(result), "symbols": [_symbol(s) for s in result.symbols]}


def _symbol(symbol: Symbol) -> dict[str, Any]:
    row: dict[str, Any] = output.plain(symbol)
    place: dict[str, Any] = row.pop("range")
    return {**row, **place}
