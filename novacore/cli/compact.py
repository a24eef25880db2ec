"""``novacore compact``: end a session's epoch now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novacore.cli import output
from novacore.cli.options import AsJson, Cwd
from novacore.cli.output import count, one_line
from novacore.cli.serving import serve_async

if TYPE_CHECKING:
    from novacore.service import Service


def compact(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="An id, or its start.")],
    focus: Annotated[str, typer.Option(metavar="T", help="What matters most now.")] = "",
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """Make room in a session now; rules and state stay."""
    made = serve_async(
        lambda service: _compact(service, session, focus), cwd=cwd, waiting="compacting"
    )
    output.hold(made.get("notices", ()))
    if as_json:
        output.print_json("compact", made)
    elif made.get("id"):
        before, after = count(made["before"]), count(made["after"])
        plugin, verdict = one_line(str(made["plugin"])), one_line(str(made["verdict"]))
        output.say(f"{before} -> {after} tokens by {plugin} · {verdict}")
    if not made.get("id"):
        output.complain(f"nothing was compacted, {made.get('verdict') or 'nothing to gain'}")
        raise typer.Exit(1)


async def _compact(service: Service, wanted: str, focus: str) -> Mapping[str, Any]:
    info = await service.open_session(wanted)
    return await service.compact(info.id, focus)
