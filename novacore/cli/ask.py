"""``novacore ask``: one turn, streamed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from novacore.cli import permission, tour
from novacore.cli.options import AsJson, Cwd
from novacore.cli.serving import serve_async
from novacore.cli.turn import Turn
from novacore.cli.turn_json import TurnLines
from novacore.cli.turn_view import TurnView
from novacore.errors import UsageError
from novacore.types import Mode

if TYPE_CHECKING:
    from novacore.service import Service

MAX_QUESTION_BYTES = 10_000_000


def ask(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="The question; - reads stdin.")],
    cwd: Cwd = None,
    model: Annotated[str, typer.Option(help="An alias, provider/model, or `navigator`.")] = "",
    mode: Annotated[str, typer.Option(help="read-only, ask or accept-edits.")] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="Approve edits here, and commands that you allow.")
    ] = False,
    session: Annotated[str, typer.Option(metavar="ID", help="Go on with a session.")] = "",
    max_steps: Annotated[
        int | None, typer.Option(min=1, help="Most model calls of the turn.")
    ] = None,
    show_tour: Annotated[
        bool, typer.Option("--tour", help="Then show the steps and the window.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask about code, or have it changed: one turn, streamed."""
    view = TurnLines() if as_json else TurnView(list_steps=not show_tour)
    with view:
        question = _question(text)
        may_ask = not as_json and permission.can_ask()

        async def run(service: Service) -> int:
            code = await Turn(question, session, view, may_ask=may_ask).run(service)
            if isinstance(view, TurnView) and show_tour and code == 0:
                tour.show(service.context(view.session), view.steps)
            return code

        view.code = serve_async(
            run,
            cwd=cwd,
            model=model,
            mode=_mode(mode),
            assume_yes=yes,
            overrides={"limits.steps": max_steps} if max_steps else {},
        )
    if view.code:
        raise typer.Exit(view.code)


def _question(words: list[str]) -> str:
    if words != ["-"]:
        text = " ".join(words)
    else:
        try:
            data = sys.stdin.buffer.read(MAX_QUESTION_BYTES + 1)
        except OSError as error:
            raise UsageError(f"the question cannot be read from stdin: {error.strerror}") from error
        if len(data) > MAX_QUESTION_BYTES:
            raise UsageError(
                f"the question is over {MAX_QUESTION_BYTES:,} bytes; name a file in it"
            )
        text = data.decode("utf-8", "replace")
    if not text.strip():
        raise UsageError('the question is empty; say what you want to know: novacore ask "..."')
    return text


def _mode(name: str) -> Mode | None:
    match name:
        case "":
            return None
        case "read-only" | "ask" | "accept-edits":
            return name
    raise UsageError(f"no such mode: {name}; known: read-only, ask, accept-edits")
