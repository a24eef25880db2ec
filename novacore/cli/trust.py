"""``novacore trust``: say that what a workspace brings along may take effect, or take it back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from novacore.cli import output, permission
from novacore.cli.options import AsJson
from novacore.cli.output import one_line
from novacore.cli.serving import serve, serve_async
from novacore.errors import Denied, UsageError

if TYPE_CHECKING:
    from novacore.service import Service
    from novacore.service.api import TrustEntry

_SHOWN = 20


def trust(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Default: here.")] = Path(),
    list_: Annotated[bool, typer.Option("--list", help="What is trusted.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust it no longer.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let what a workspace brings along take effect."""
    if list_:
        entries = serve(lambda service: service.trust_list())
    elif revoke:
        # From the top, so that nothing in the folder can keep it trusted.
        top = Path(folder.resolve().anchor)
        entries = (serve(lambda service: _revoke(service, folder), cwd=top),)
    else:
        entries = (
            serve_async(lambda service: _grant(service, folder, yes=yes), cwd=_existing(folder)),
        )
    if as_json:
        output.print_json("trust", {"entries": entries})
        return
    for entry in entries:
        changed = f"  changed since: {', '.join(entry.changed)}" if entry.changed else ""
        state = "trusted" if entry.trusted else "not trusted"
        output.say(one_line(f"{state:<12}{entry.path}{changed}"))
    if not entries:
        output.say("nothing is trusted")


def _revoke(service: Service, folder: Path) -> TrustEntry:
    from novacore.service.api import TrustEntry

    path = folder.resolve()
    known = [Path(entry.path) for entry in service.trust_list()]
    path = next((root for root in (path, *path.parents) if root in known), path)
    service.trust_revoke(path)
    return TrustEntry(path=str(path), trusted=False)


async def _grant(service: Service, folder: Path, *, yes: bool) -> TrustEntry:
    real = folder.resolve()
    entry = service.trust_status(real)
    if entry.trusted and not entry.changed:
        return entry
    if not yes:
        if not permission.can_ask():
            raise Denied(f"{folder} stays untrusted: there is no terminal to ask on; give --yes")
        if not await _person_agrees(entry):
            raise Denied(f"{folder} stays untrusted")
    service.trust(real)
    return service.trust_status(real)


async def _person_agrees(entry: TrustEntry) -> bool:
    _show(entry, _SHOWN)
    stopped = asyncio.Event()
    permission.forget_what_was_typed()
    while True:
        prompt = "[t]rust it as it is now, [n]ot now, [i]nspect everything: "
        match (await permission.read_line(prompt, stopped) or "n").strip().lower():
            case "t" | "trust":
                return True
            case "i" | "inspect":
                _show(entry, len(entry.would_run))
            case "n" | "not now" | "no":
                return False


def _show(entry: TrustEntry, most: int) -> None:
    err = output.console(stderr=True)
    err.print(f"{one_line(entry.path)}\nTrusting it lets this run or take effect:", soft_wrap=True)
    for line in entry.would_run[:most]:
        err.print(f"  {one_line(line)}", soft_wrap=True)
    if not entry.would_run:
        err.print("  nothing that it brings along now")
    if (hidden := len(entry.would_run) - most) > 0:
        err.print(f"  … and {hidden} more")
    for line in entry.changed:
        err.print(f"  changed since you trusted it: {one_line(line)}", style="yellow")


def _existing(folder: Path) -> Path:
    if not folder.is_dir():
        raise UsageError(f"not a folder: {folder}")
    return folder
