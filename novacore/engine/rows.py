"""Rows: the blocks that one event puts into a window, each with the fragment that explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from novacore.engine import labels
from novacore.engine.labels import Labels
from novacore.types import (
    Block,
    Event,
    Fragment,
    Reasoning,
    Role,
    Source,
    Text,
    ToolResult,
    ToolUse,
)

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One block of a window. ``head``: it belongs to the epoch's head, before the history."""

    role: Role
    block: Block
    fragment: Fragment
    event: str
    head: bool = False


def fragment(
    marks: Labels,
    *,
    id: str,
    content: str,
    source: Source,
    reason: str,
    tokens: int,
    access: str = "",
) -> Fragment:
    """A fragment with the labels of its source."""
    return Fragment(
        id=id,
        content=content,
        kind=marks.kind,
        source=source,
        authority=marks.authority,
        trust=marks.trust,
        lifetime=marks.lifetime,
        disposition=marks.disposition,
        region=marks.region,
        reason=reason,
        tokens=tokens,
        access=access or marks.access,
    )


def text_row(
    marks: Labels,
    text: str,
    *,
    id: str,
    event: str,
    source: Source,
    reason: str,
    count: Count,
    head: bool = False,
) -> Row:
    """A user-side text block."""
    piece = fragment(
        marks, id=id, content=text, source=source, reason=reason, tokens=count(text) + 4
    )
    return Row(role="user", block=Text(text=text), fragment=piece, event=event, head=head)


def rows_of(event: Event, count: Count, reasoning: Mapping[int, Reasoning]) -> Iterator[Row]:
    """The rows of one event, in order; nothing for an event that no model sees."""
    make = _MAKERS.get(event.kind)
    if make is not None:
        yield from make(event, count, reasoning)


def _user(event: Event, count: Count, _: Mapping[int, Reasoning]) -> Iterator[Row]:
    text = str(event.data.get("text", ""))
    steer = event.data.get("source") == "steer"
    reason = "the user said it while the agent worked" if steer else "the user said it"
    source = Source(uri=f"event:{event.id}", time=event.ts)
    yield text_row(
        labels.USER, text, id=event.id, event=event.id, source=source, reason=reason, count=count
    )


def _assistant(event: Event, count: Count, reasoning: Mapping[int, Reasoning]) -> Iterator[Row]:
    blocks: Sequence[Mapping[str, Any]] = event.data.get("blocks", ())
    for index in range(len(blocks) + len(reasoning)):
        if (kept := reasoning.get(index)) is not None:
            shown = str(kept.data.get("thinking") or kept.data.get("data") or "")
            yield _assistant_row(event, index, kept, shown, count)
            continue
        data = blocks[index - sum(1 for place in reasoning if place < index)]
        if data.get("type") == "text":
            text = str(data.get("text", ""))
            yield _assistant_row(event, index, Text(text=text), text, count)
        elif data.get("type") == "tool_use":
            use = ToolUse(id=str(data["id"]), name=str(data["name"]), input=data.get("input") or {})
            yield _assistant_row(event, index, use, f"{use.name} {dict(use.input)}", count)


def _assistant_row(event: Event, index: int, block: Block, content: str, count: Count) -> Row:
    is_call = isinstance(block, ToolUse)
    piece = fragment(
        labels.CALL if is_call else labels.ASSISTANT,
        id=f"{event.id}#{index}",
        content=content,
        source=Source(uri=f"event:{event.id}", time=event.ts),
        reason=_ASSISTANT_REASONS[type(block)],
        tokens=count(content) + (12 if is_call else 4),
    )
    return Row(role="assistant", block=block, fragment=piece, event=event.id)


_ASSISTANT_REASONS: dict[type[Block], str] = {
    Text: "the model said it",
    ToolUse: "the model called a tool",
    Reasoning: "the model reasoned; only it can use this",
}


def _tool_result(event: Event, count: Count, _: Mapping[int, Reasoning]) -> Iterator[Row]:
    data = event.data
    text = str(data.get("text", ""))
    block = ToolResult(
        tool_use_id=str(data["call_id"]), text=text, is_error=bool(data.get("is_error"))
    )
    source = data.get("source") or {"uri": f"tool:{data.get('name', '')}"}
    piece = fragment(
        labels.RESULT,
        id=event.id,
        content=text,
        source=Source(**{"time": event.ts, **source}),
        reason=_result_reason(data),
        tokens=count(text) + 12,
        access=_result_access(data),
    )
    yield Row(role="user", block=block, fragment=piece, event=event.id)


def _result_access(data: Mapping[str, Any]) -> str:
    """Under which permission the call looked, and what granted it."""
    if data.get("read_back"):
        return "session: its own results"
    if data.get("name") == "history":
        return "user: own sessions and memory of this repository"
    return f"workspace: {data.get('access') or 'the path policy allows it'}"


def _result_reason(data: Mapping[str, Any]) -> str:
    name = data.get("name", "a tool")
    if artifact := data.get("artifact"):
        return f"{name} answered; the full text is artifact:{artifact}"
    return f"{name} answered: {data.get('status', 'ok')}"


def _update(event: Event, count: Count, _: Mapping[int, Reasoning]) -> Iterator[Row]:
    scope = str(event.data.get("scope", "notice"))
    if parts := event.data.get("parts"):
        for part in parts:
            yield part_row(part, event, count, head=scope == "baseline")
        return
    source = Source(uri=f"event:{event.id}", time=event.ts)
    yield text_row(
        labels.UPDATES.get(scope, labels.NOTICE),
        str(event.data.get("text", "")),
        id=event.id,
        event=event.id,
        source=source,
        reason=_UPDATE_REASONS.get(scope, f"an update of kind {scope}"),
        count=count,
    )


_UPDATE_REASONS = {
    "restatement": "goal, rules and plan as they are now, near the decision",
    "mode": "the mode was changed",
    "notice": "the host tells the model what happened",
}


def part_row(part: Mapping[str, Any], event: Event, count: Count, *, head: bool) -> Row:
    """The row of one section of the baseline, or of a later difference in it."""
    version = str(part.get("version", ""))
    return text_row(
        labels.SECTIONS.get(str(part.get("kind")), labels.ENVIRONMENT),
        str(part["text"]),
        id=f"{part['id']}@{version}",
        event=event.id,
        source=Source(
            uri=str(part.get("uri", "")),
            version=str(part.get("source_version", version)),
            time=event.ts,
        ),
        reason=str(part.get("reason", "in force here")),
        count=count,
        head=head,
    )


def _recall(event: Event, count: Count, _: Mapping[int, Reasoning]) -> Iterator[Row]:
    for item in event.data.get("items", ()):
        yield text_row(
            labels.MEMORY,
            str(item["framed"]),
            id=f"mem:{item['plugin']}/{item['key']}",
            event=event.id,
            source=Source(
                uri=str(item["uri"]), version=str(item["version"]), time=str(item["time"])
            ),
            reason=f"{item['plugin']} remembered it",
            count=count,
        )


_MAKERS: dict[str, Callable[[Event, Count, Mapping[int, Reasoning]], Iterator[Row]]] = {
    "user": _user,
    "assistant": _assistant,
    "tool_result": _tool_result,
    "update": _update,
    "recall": _recall,
}
