"""``novacore plugins``: which are installed, which answer, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from novacore.cli import output
from novacore.cli.options import AsJson, Cwd
from novacore.cli.output import one_line
from novacore.cli.serving import serve_async
from novacore.errors import UsageError
from novacore.hookspecs import HOOK_NAMES

_TONES = {"active": "green", "failed": "red", "hung": "red", "incompatible": "yellow"}


def plugins(
    hook: Annotated[str, typer.Option(metavar="H", help="Only those that answer this hook.")] = "",
    no_load: Annotated[bool, typer.Option("--no-load", help="Import nothing.")] = False,
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """Which plugins answer, in which order, and their faults."""
    if hook and hook not in HOOK_NAMES:
        raise UsageError(f"no such hook: {hook}; known: {', '.join(HOOK_NAMES)}")
    found = serve_async(
        lambda service: service.plugins(load=not no_load), cwd=cwd, waiting="loading plugins"
    )
    rows = [row for row in found if not hook or hook in row.hooks]
    if hook:
        rows.sort(key=lambda row: (row.order.get(hook, len(rows) + 1), row.name))
    if as_json:
        output.print_json("plugins", {"plugins": rows})
        return
    if not rows:
        output.say("no plugin" + (f" answers {hook}" if hook else " is installed"))
        return
    _table(rows)


def _table(rows: Sequence[Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("plugin", "state", "hooks (place)", "import ms", "faults", "source"):
        right = name in ("import ms", "faults")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in rows:
        hooks = ", ".join(
            f"{hook} ({row.order[hook]})" if hook in row.order else hook for hook in row.hooks
        )
        table.add_row(
            one_line(row.name),
            Text(row.state, style=_TONES.get(row.state, "dim")),
            hooks,
            f"{row.import_ms:.1f}",
            str(row.faults),
            one_line(row.source),
        )
    output.console().print(table)
    for row in rows:
        if row.detail:
            output.say(f"{one_line(row.name)}: {one_line(row.detail)}")
