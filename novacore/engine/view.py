"""The view: a left fold of events into the rows of the next request.

No plugin writes it, nothing is edited in it: inside an epoch it only grows at its end, so that a
request begins with the bytes of the one before. A boundary replaces it by a head and a tail.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from novacore.engine.rows import Count, Row, rows_of
from novacore.types import (
    Block,
    Event,
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolResult,
    ToolUse,
)

ReasoningOf = Callable[[Event, str], Mapping[int, Reasoning]]
"""The reasoning blocks of an assistant event, if the hash of the prefix before it still matches."""

Rebuild = Callable[[Event], tuple[Sequence[Row], Sequence[Event]]]
"""For a compaction event: the rows of the new head, and the events of the tail."""

_STALE_AFTER_BOUNDARY = ("baseline", "diff", "restatement", "mode")


class View:
    """The rows of the present epoch. ``seed`` is the hash of what stands before the messages."""

    def __init__(
        self, *, count: Count, reasoning: ReasoningOf, rebuild: Rebuild, seed: str = ""
    ) -> None:
        self._count = count
        self._reasoning = reasoning
        self._rebuild = rebuild
        self.seed = seed
        self._reset()

    def _reset(self) -> None:
        self._rows: list[Row] = []
        self._tokens = 0
        self._open: dict[str, Row | None] = {}
        self._held: list[Row] = []
        self._isolated: dict[str, str] = {}
        self._digest = _digest(self.seed, ())

    def add(self, event: Event) -> None:
        """Take the next event of the log."""
        if event.kind == "compaction":
            self._start_epoch(event)
        elif event.kind == "fault" and (bad := event.data.get("isolate")):
            self._isolate(str(bad), str(event.data.get("reason", "")))
        else:
            self._append(event)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every row, in the order of the request. Results of open calls come as far as known."""
        return (*self._rows, *self._unsettled())

    @property
    def tokens(self) -> int:
        """Estimated tokens of all rows."""
        return self._tokens + sum(row.fragment.tokens for row in self._unsettled())

    @property
    def open_calls(self) -> tuple[str, ...]:
        """Calls of the newest assistant message that have no result yet."""
        return tuple(call for call, row in self._open.items() if row is None)

    @property
    def prefix(self) -> str:
        """Hash of everything that stands in the next request, marks aside."""
        digest = self._digest.copy()
        for row in self._unsettled():
            digest.update(_canonical(row.role, row.block))
        return digest.hexdigest()

    def _append(self, event: Event) -> None:
        kept = self._reasoning(event, self.prefix) if event.kind == "assistant" else {}
        rows = list(rows_of(event, self._count, kept))
        if event.kind == "assistant":
            self._settle()
            self._extend(rows)
            calls = (r.block.id for r in rows if isinstance(r.block, ToolUse))
            self._open = dict.fromkeys(calls)
        elif event.kind == "tool_result":
            self._answer(rows[0])
        elif self._open:
            self._held.extend(rows)
        else:
            self._extend(rows)

    def _answer(self, row: Row) -> None:
        call = row.block.tool_use_id if isinstance(row.block, ToolResult) else ""
        # An orphan (its call is missing) or a second answer stays in the log only.
        if self._open.get(call, row) is not None:
            return
        self._open[call] = row
        if not self.open_calls:
            self._settle()

    def _unsettled(self) -> list[Row]:
        waiting = [row for row in self._open.values() if row is not None]
        return [*waiting, *self._held]

    def _settle(self) -> None:
        rows = self._unsettled()
        self._held, self._open = [], {}
        self._extend(rows)

    def _extend(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._rows.append(row)
            self._tokens += row.fragment.tokens
            self._digest.update(_canonical(row.role, row.block))

    def _start_epoch(self, event: Event) -> None:
        head, tail = self._rebuild(event)
        isolated = self._isolated
        self._reset()
        self._extend(head)
        for old in tail:
            stale = old.kind == "update" and old.data.get("scope") in _STALE_AFTER_BOUNDARY
            if not stale and old.kind != "compaction":
                self.add(old)
        for bad, reason in isolated.items():
            self._isolate(bad, reason)

    def _isolate(self, event_id: str, reason: str) -> None:
        """Replace the content of one event's rows by a note: the provider refused it.

        The reasoning after it goes too: it holds only behind the bytes that it came after.
        """
        self._isolated[event_id] = reason
        kept: list[Row] = []
        changed = False
        for row in self._rows:
            if row.event == event_id:
                changed = True
                kept.append(_isolated(row, reason, self._count))
            elif not (changed and isinstance(row.block, Reasoning)):
                kept.append(row)
        self._rows = kept
        self._tokens = sum(row.fragment.tokens for row in kept)
        self._digest = _digest(self.seed, kept)


def prefix_of(seed: str, rows: Iterable[Row]) -> str:
    """``View.prefix`` of a request that holds just these rows."""
    return _digest(seed, rows).hexdigest()


def messages_of(rows: Sequence[Row]) -> tuple[Message, ...]:
    """Group rows into messages; neighbours of one role share a message."""
    messages: list[tuple[Role, list[Block]]] = []
    for row in rows:
        if messages and messages[-1][0] == row.role:
            messages[-1][1].append(row.block)
        else:
            messages.append((row.role, [row.block]))
    return tuple(Message(role=role, blocks=tuple(blocks)) for role, blocks in messages)


def _isolated(row: Row, reason: str, count: Count) -> Row:
    from dataclasses import replace

    note = f"[left out of the request: the provider refused it ({reason}); it is in the log]"
    block: Block = row.block
    if isinstance(block, ToolResult):
        block = replace(block, text=note, images=())
    elif isinstance(block, ToolUse):
        block = replace(block, input={})
    else:
        block = Text(text=note)
    piece = replace(row.fragment, content=note, reason=note, tokens=count(note) + 12)
    return replace(row, block=block, fragment=piece)


def _digest(seed: str, rows: Iterable[Row]) -> hashlib._Hash:
    digest = hashlib.sha256(seed.encode())
    for row in rows:
        digest.update(_canonical(row.role, row.block))
    return digest


def _canonical(role: Role, block: Block) -> bytes:
    return json.dumps([role, *_plain(block)], ensure_ascii=True, separators=(",", ":")).encode()


def _plain(block: Block) -> list[Any]:
    match block:
        case Text(text=text):
            return ["text", text]
        case ToolUse(id=id, name=name, input=arguments):
            return ["tool_use", id, name, dict(arguments)]
        case ToolResult(tool_use_id=id, text=text, is_error=is_error, images=images):
            return ["tool_result", id, text, is_error, [image.data for image in images]]
        case Image(media_type=media, data=data):
            return ["image", media, data]
        case Reasoning(data=data):
            return ["reasoning", dict(data)]
