"""``novacore doctor`` and ``config show``: what is set up, and where each setting comes from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from novacore.cli import output
from novacore.cli.options import AsJson, Cwd
from novacore.cli.output import one_line, plural
from novacore.cli.serving import serve, serve_async

if TYPE_CHECKING:
    from novacore.service.api import Check

config_app = typer.Typer(help="The settings in force.")


def doctor(
    vocabulary: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Install a tokenizer's file, checked by its hash."),
    ] = None,
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """Check what is set up, and say what to do."""
    if vocabulary is not None:
        file = vocabulary.absolute()
        serve(lambda service: service.install_vocabulary(file), cwd=cwd)
    checks = serve_async(lambda service: service.doctor(), cwd=cwd, waiting="looking")
    if as_json:
        output.print_json("doctor", {"ok": all(c.ok for c in checks), "checks": checks})
    else:
        _show(checks)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


def _show(checks: Sequence[Check]) -> None:
    from rich.text import Text

    out = output.console()
    width = max((len(one_line(check.name)) for check in checks), default=0) + 2
    group = ""
    for check in checks:
        if check.group != group:
            out.print(Text(f"{'' if not group else chr(10)}{check.group}", style="bold"))
            group = check.group
        mark, tone = _mark(check)
        name = f"{one_line(check.name):<{width}}"
        out.print(Text.assemble((mark, tone), name, one_line(check.value)), soft_wrap=True)
        if check.advice:
            indent = " " * (len(mark) + width)
            out.print(Text(f"{indent}{one_line(check.advice)}", style="dim"), soft_wrap=True)
    wrong = sum(not check.ok for check in checks)
    told = f"{plural(wrong, 'thing')} to fix" if wrong else "everything that is needed is there"
    out.print(Text(f"\n{told}", style="red" if wrong else "green"))


def _mark(check: Check) -> tuple[str, str]:
    if not check.ok:
        return "  FIX   ", "red"
    return ("  note  ", "yellow") if check.advice else ("  ok    ", "green")


@config_app.command("show")
def show(
    origin: Annotated[
        bool, typer.Option("--origin", help="Where each value comes from, and who may set it.")
    ] = False,
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """Every setting with its value; secrets are left out."""
    values = serve(lambda service: service.config_values(), cwd=cwd)
    if as_json:
        output.print_json("config", {"values": values})
        return
    width = max((len(value.key) for value in values), default=0)
    for value in values:
        shown = json.dumps(output.plain(value.value), ensure_ascii=False)
        told = f"  # {value.origin} ({value.scope})" if origin else ""
        output.say(one_line(f"{value.key:<{width}} = {shown}{told}"))
