"""What tool calls came to: files, commands, side effects, limits met, misses.

Filled from the runtime's own fields, never by mining a tool's text for words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from novacore.engine.plain import from_plain
from novacore.engine.state.ids import derived_id
from novacore.types import CommandRecord, Event, FileRecord, SideEffect, State, Statement

KEPT_READS = 100
KEPT_CHANGES = 300
KEPT_COMMANDS = 40
KEPT_EFFECTS = 50
KEPT_MISSES = 30
KEPT_CONDITIONS = 30
KEPT_REFUSALS = 30
LINE_CHARS = 300

_NOTHING_HAPPENED = frozenset(
    (
        "not_found", "ambiguous", "denied", "too_many", "too_large", "stale", "unreadable",
        "unsupported", "rejected", "sibling_failed", "unchanged",
    )
)  # fmt: skip

_CUT_SHORT = frozenset(("interrupted", "user_stopped"))
T = TypeVar("T")


def started(state: State, event: Event) -> State:
    """A call begins. One that is not read-only is a side effect from here on."""
    if event.data.get("read_only", True):
        return state
    effect = SideEffect(
        call_id=str(event.data.get("call_id", "")),
        tool=str(event.data.get("name", "")),
        summary=one_line(event.data.get("summary", "")),
        status="started",
        event=event.id,
    )
    rest = tuple(e for e in state.side_effects if e.call_id != effect.call_id)
    return replace(state, side_effects=(*rest, effect))


def result(state: State, event: Event) -> State:
    """A call ends, with a result of its own or a synthetic one."""
    # A question that nobody answered ends with the call that it was about.
    asked = derived_id("ask", str(event.data.get("call_id", "")))
    loops = tuple(loop for loop in state.open_loops if loop.id != asked)
    state = replace(state, open_loops=loops, side_effects=_settled(state.side_effects, event))
    state = _with_files(state, event)
    if event.data.get("command") and not event.data.get("synthetic"):
        state = _with_command(state, event)
    status = event.data.get("status")
    if status == "denied":
        return _with_condition(state, event)
    return _with_miss(state, event) if status == "not_found" else state


def one_line(text: object) -> str:
    """The first line of ``text``, at most 300 characters of it."""
    return str(text).strip().split("\n", 1)[0][:LINE_CHARS].strip()


def _settled(effects: tuple[SideEffect, ...], event: Event) -> tuple[SideEffect, ...]:
    call = str(event.data.get("call_id", ""))
    status = str(event.data.get("status") or "ok")
    if not any(effect.call_id == call for effect in effects):
        return effects
    rest = tuple(e for e in effects if e.call_id != call)
    effect = next(e for e in effects if e.call_id == call)
    if status in _CUT_SHORT or (event.data.get("synthetic") and "status" not in event.data):
        return (*rest, replace(effect, status="unknown", event=event.id))
    if status in _NOTHING_HAPPENED:
        return rest
    return _bounded((*rest, replace(effect, status="committed", event=event.id)))


def _bounded(effects: tuple[SideEffect, ...]) -> tuple[SideEffect, ...]:
    """The oldest committed ones leave; what is open or unknown never does."""
    surplus = sum(1 for e in effects if e.status == "committed") - KEPT_EFFECTS
    kept = []
    for effect in effects:
        if surplus > 0 and effect.status == "committed":
            surplus -= 1
        else:
            kept.append(effect)
    return tuple(kept)


def _with_files(state: State, event: Event) -> State:
    records: Iterable[Mapping[str, Any]] = event.data.get("files") or ()
    files = {record.path: record for record in state.files}
    for data in records:
        new = from_plain(FileRecord, {**data, "event": event.id})
        files[new.path] = _joined(files.pop(new.path, None), new)
    if not records:
        return state
    reads = [path for path, record in files.items() if record.action == "read"]
    changes = [path for path, record in files.items() if record.action != "read"]
    for path in (*reads[:-KEPT_READS], *changes[:-KEPT_CHANGES]):
        del files[path]
    return replace(state, files=tuple(files.values()))


def _joined(old: FileRecord | None, new: FileRecord) -> FileRecord:
    """A later read does not hide that the file was changed; ``before`` is the first known hash."""
    if old is None or old.action == "read":
        return new
    if new.action == "read":
        return replace(
            old, start_line=new.start_line, end_line=new.end_line, after=new.after or old.after
        )
    action = "created" if (old.action, new.action) == ("created", "modified") else new.action
    return replace(new, action=action, before=old.before)


def _with_command(state: State, event: Event) -> State:
    data = event.data
    exit_code = data.get("exit_code")
    record = CommandRecord(
        command=str(data["command"])[:1_000],
        event=event.id,
        exit_code=exit_code if isinstance(exit_code, int) else None,
        error=str(data.get("error_line") or "")[:1_000],
        failing=tuple(str(name)[:LINE_CHARS] for name in (data.get("failing") or ())[:50]),
    )
    rest = tuple(c for c in state.commands if c.command != record.command)
    if len(rest) >= KEPT_COMMANDS:
        leaves = next((c for c in rest if c.exit_code == 0), rest[0])
        rest = tuple(c for c in rest if c is not leaves)
    return replace(state, commands=(*rest, record))


def _with_condition(state: State, event: Event) -> State:
    reason = one_line(event.data.get("reason") or event.data.get("text", ""))
    text = f"{event.data.get('name', 'tool')}: {reason}"
    known = Statement(id=derived_id("limit", event.id), text=text, event=event.id)
    return replace(state, conditions=_added(state.conditions, known, KEPT_CONDITIONS))


def _with_miss(state: State, event: Event) -> State:
    text = f"{event.data.get('name', 'tool')}: {one_line(event.data.get('text', ''))}"
    miss = Statement(id=derived_id("miss", event.id), text=text, event=event.id)
    return replace(state, ruled_out=_added(state.ruled_out, miss, KEPT_MISSES))


def _added(statements: tuple[Statement, ...], new: Statement, limit: int) -> tuple[Statement, ...]:
    if any(old.text == new.text for old in statements):
        return statements
    return (*statements, new)[-limit:]
