"""``novacore context``: what a request held, where it came from, and why."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from novacore.cli import output
from novacore.cli.options import AsJson, Cwd
from novacore.cli.serving import serve
from novacore.cli.window_words import Manifest, find, name_of, place_of
from novacore.errors import NovaCoreError, UsageError

if TYPE_CHECKING:
    from novacore.service import Service

_CONTENT_CHARS = 2_000


def context(
    session: Annotated[str, typer.Argument(metavar="[SESSION]", help="Default: the newest.")] = "",
    request: Annotated[
        int | None, typer.Option(min=1, help="Number of the request; default: the last.")
    ] = None,
    explain: Annotated[
        str, typer.Option(metavar="FRAGMENT", help="Why is it here? An id, a source, or words.")
    ] = "",
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page that needs nothing else.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every fragment, however many.")] = False,
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """What the model saw, where each token came from, and why."""
    manifest, rows, root = serve(
        lambda s: _look(s, session, request, explain), cwd=cwd, waiting="reading the session"
    )
    if html is not None:
        _write(html, manifest, root)
    if explain:
        _explain(manifest, rows, as_json=as_json)
    elif as_json:
        output.print_json("context", manifest)
    elif html is None:
        _show(manifest, root, every=every)


def _look(
    service: Service, wanted: str, request: int | None, explain: str
) -> tuple[Manifest, Sequence[Manifest], Path]:
    session = wanted or service.latest_session()
    if not session:
        raise UsageError('there is no session here yet; start one: novacore ask "..."')
    manifest = service.context(session, request)
    rows = find(manifest, explain) if explain else []
    if explain and not rows:
        raise NovaCoreError(_not_there(manifest, explain))
    if len(rows) == 1 and "region" in rows[0]:
        rows = [service.fragment(session, manifest["request"], rows[0]["id"])]
    return manifest, rows, service.workspace.root


def _show(manifest: Manifest, root: Path, *, every: bool) -> None:
    from novacore.cli import window_view

    out = output.console()
    for piece in window_view.window(manifest, root, out.width, every=every):
        out.print(piece)


def _write(path: Path, manifest: Manifest, root: Path) -> None:
    from novacore.cli import page

    text = page.render(manifest, root)
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise NovaCoreError(f"{path}: cannot be written ({error.strerror})") from error
    output.warn([f"wrote {path}"])


def _explain(manifest: Manifest, rows: Sequence[Manifest], *, as_json: bool) -> None:
    if as_json:
        head = {name: manifest.get(name) for name in ("session", "request")}
        output.print_json("fragment", {**head, "fragments": rows})
        return
    for row in rows:
        for line in _sentences(row):
            output.say(output.one_line(line))
        if content := str(row.get("content", "")):
            cut = "\n…" if len(content) > _CONTENT_CHARS else ""
            output.say(f"\n{content[:_CONTENT_CHARS]}{cut}")
        output.say()


def _not_there(manifest: Manifest, wanted: str) -> str:
    ids = [str(row["id"]) for row in manifest.get("fragments", ())]
    near = difflib.get_close_matches(wanted, ids, n=3, cutoff=0.5)
    hint = f"; near: {', '.join(near)}" if near else "; `novacore context` lists them"
    return f"nothing in request {manifest.get('request')} is called {wanted!r}{hint}"


def _sentences(row: Manifest) -> list[str]:
    if "region" not in row:
        tokens = f" ({row.get('tokens') or 0:,} tokens)"
        return [f"Left out: {place_of(row)}{tokens}", f"  why    {row['reason']}"]
    position = row.get("position") or {}
    where = " ".join(f"{name} {value}" for name, value in position.items() if value != -1)
    return [
        name_of(row),
        f"  why    {row['reason']}",
        *([f"  asked  {row['call']}"] if row.get("call") else []),
        f"  from   {place_of(row)} {(row.get('source') or {}).get('time') or ''}",
        f"  costs  {row['tokens']:,} tokens, region {row['region']}, {where}",
        f"  is     {row['kind']}, {row['authority']}, trust {row['trust']}",
        f"  stays  {row['lifetime']}, {row['disposition']}"
        + (", stale" if row.get("stale") else ""),
        f"  access {row.get('access') or 'the session'}",
        f"  id     {row['id']}",
    ]
