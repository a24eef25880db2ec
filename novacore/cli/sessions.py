"""``novacore sessions``: list them, show what is recorded of one, remove what is old."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novacore.cli import output
from novacore.cli.options import AsJson, Cwd
from novacore.cli.output import clip, count, one_line, plural
from novacore.cli.serving import serve
from novacore.cli.steps import subject_of
from novacore.errors import UsageError

if TYPE_CHECKING:
    from novacore.service import Service
    from novacore.service.api import SessionInfo
    from novacore.types import Event

app = typer.Typer(help="Past sessions: list them, show one, remove what is old.")
_TEXT_CHARS = 120
_INPUT = ("uncached", "cache_read", "cache_write")


@app.command("list")
def list_(cwd: Cwd = None, as_json: AsJson = False) -> None:
    """Every session, newest first."""
    infos = serve(lambda service: service.sessions(), cwd=cwd, waiting="looking")
    infos = tuple(sorted(infos, key=lambda info: info.updated, reverse=True))
    if as_json:
        output.print_json("sessions", {"sessions": infos}, _damage(infos))
        return
    output.warn(_damage(infos))
    if not infos:
        output.say('no session yet; start one: novacore ask "..."')
        return
    _table(infos)


@app.command()
def show(
    session: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    last: Annotated[int, typer.Option(min=1, help="Most events shown.")] = 200,
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """What is recorded of a session, one line an event."""
    info, events = serve(
        lambda service: _read(service, session), cwd=cwd, waiting="reading the session"
    )
    if as_json:
        output.print_json("session", {"session": info, "events": events}, info.damaged)
        return
    output.warn(info.damaged)
    output.say(f"{one_line(info.title) or '(no title)'}")
    output.say(f"{info.id}  {one_line(info.cwd)}  {one_line(info.model)}  {info.mode}")
    if len(events) > last:
        output.say(f"… {plural(len(events) - last, 'earlier event')}: --last shows more")
    for event in events[-last:]:
        output.say(f"{event.seq:>6}  {event.ts[:19]}  {event.kind:<12} {_words(event)}".rstrip())


@app.command()
def gc(
    session: Annotated[
        str, typer.Argument(metavar="[ID]", help="Only this one, whatever its age.")
    ] = "",
    days: Annotated[
        int | None, typer.Option(min=0, help="Unused for so long; default: spill.retention_days.")
    ] = None,
    cwd: Cwd = None,
    as_json: AsJson = False,
) -> None:
    """Remove spilled texts of one session, or of all old ones; the logs stay."""
    if session and days is not None:
        raise UsageError("--days is for all sessions; give it, or the id of one")
    removed = serve(
        lambda service: service.collect(session, days=days), cwd=cwd, waiting="removing"
    )
    busy = [f"{id} is in use by another process and was left alone" for id in removed.busy]
    if as_json:
        output.print_json("gc", removed, busy)
        return
    output.warn(busy)
    of = f"of {plural(len(removed.sessions), 'session')}" if removed.files else "to remove"
    output.say(f"{plural(removed.files, 'file')} {of}, {removed.bytes / 2**20:.1f} MiB")


def _read(service: Service, wanted: str) -> tuple[SessionInfo, tuple[Event, ...]]:
    info = service.session_info(wanted)
    return info, service.session_events(info.id)


def _table(infos: Sequence[SessionInfo]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("id", "updated", "turns", "model", "title", "folder"):
        table.add_column(name, justify="right" if name == "turns" else "left", overflow="fold")
    for info in infos:
        table.add_row(
            info.id + (" *" if info.locked else ""),
            info.updated[:16].replace("T", " "),
            str(info.turns),
            one_line(info.model),
            clip(info.title, 50),
            one_line(info.cwd),
        )
    output.console().print(table)
    if any(info.locked for info in infos):
        output.say("* open in another process")


def _damage(infos: Sequence[SessionInfo]) -> list[str]:
    return [f"{info.id}: {line}" for info in infos for line in info.damaged]


def _words(event: Event) -> str:
    data = event.data
    match event.kind:
        case "session":
            return clip(f"{data.get('model', '')} in {data.get('cwd', '')}", _TEXT_CHARS)
        case "assistant":
            return clip(" · ".join(map(_block, data.get("blocks", ()))), _TEXT_CHARS)
        case "usage":
            tokens = sum(int(data.get(name) or 0) for name in _INPUT)
            told = f"{count(tokens)} tokens in, {count(int(data.get('output') or 0))} out"
            return f"{data.get('purpose', '')} {data.get('request', '')}: {told}"
        case "permission":
            title = (data.get("question") or {}).get("title", "")
            return clip(f"{data.get('outcome') or 'asked'}: {title}", _TEXT_CHARS)
        case "update" if parts := data.get("parts"):
            ids = ", ".join(str(part.get("id", "")) for part in parts)
            return clip(f"{data.get('scope', '')}: {ids}", _TEXT_CHARS)
    return _first_words(data)


def _block(block: Mapping[str, Any]) -> str:
    if block.get("type") == "tool_use":
        return f"{block.get('name', '')} {subject_of(block.get('input') or {})}"
    return str(block.get("text", ""))


def _first_words(data: Mapping[str, Any]) -> str:
    for name in ("text", "summary", "question", "reason"):
        if text := data.get(name):
            prefix = f"{data['name']}: " if data.get("name") else ""
            return clip(prefix + str(text), _TEXT_CHARS)
    return clip(json.dumps(output.plain(data), ensure_ascii=False)[: _TEXT_CHARS * 2], _TEXT_CHARS)
