"""The command tree."""

from __future__ import annotations

from typing import Annotated

import typer

from novacore.cli import ask, code, compact, context, doctor, plugins, sessions, trust

app = typer.Typer(
    name="novacore",
    help="A context engine for coding agents, and the agent that runs on it.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(ask.ask)
app.command()(context.context)
app.command()(compact.compact)
app.command()(code.read)
app.command()(code.outline)
app.command()(code.find)
app.add_typer(sessions.app, name="sessions")
app.command()(plugins.plugins)
app.command()(trust.trust)
app.command()(doctor.doctor)
app.add_typer(doctor.config_app, name="config")


@app.callback()
def top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; anywhere.")
    ] = False,
) -> None:
    """A context engine for coding agents, and the agent that runs on it."""
    if version:
        from novacore import __version__

        print(f"novacore {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(2)
