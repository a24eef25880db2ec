"""``novacore doctor`` and ``config show``: what is set up, and where each setting comes from."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from novacore.cli import output
from novacore.cli.options import AsJson, Cwd
from novacore.cli.output import one_line
from novacore.cli.serving import serve, serve_async

config_app = typer.Typer(help="The settings in force.")


def doctor(cwd: Cwd = None, as_json: AsJson = False) -> None:
    """Check what is set up, and say what to do."""
    checks = serve_async(lambda service: service.doctor(), cwd=cwd)
    if as_json:
        output.print_json("doctor", {"ok": all(c.ok for c in checks), "checks": checks})
    else:
        from rich.text import Text

        out = output.console()
        width = max((len(one_line(check.name)) for check in checks), default=0) + 2
        for check in checks:
            mark = ("ok  ", "green") if check.ok else ("FIX ", "red")
            out.print(
                Text.assemble(
                    mark, (f"{one_line(check.name):<{width}}", "bold"), one_line(check.value)
                ),
                soft_wrap=True,
            )
            if check.advice:
                out.print(Text(f"    {one_line(check.advice)}", style="dim"), soft_wrap=True)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


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
