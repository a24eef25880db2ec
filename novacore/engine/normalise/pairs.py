"""Calls and results: each call has its result right after it, in call order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from novacore.engine.normalise.blocks import Note
from novacore.engine.normalise.reasons import INTERRUPTED, result_text
from novacore.types import Block, Message, ToolResult, ToolUse


@dataclass(slots=True)
class _Call:
    """A call of message ``message``, the id that it is sent with, and the result that it got."""

    use: ToolUse
    message: int
    id: str
    result: ToolResult | None = None


@dataclass(slots=True)
class _Calls:
    """Every call so far, by the id that it came with, and the ids that are taken."""

    by_id: dict[str, list[_Call]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)


def pair(messages: Sequence[Message], reasons: Mapping[str, str], note: Note) -> list[Message]:
    """``messages`` (roles alternate) with every call answered where it must be.

    A result that stands too late is moved, a missing one is made, an orphan or second one is left
    out (it stays in the log). A call id that was used before gets a new one, as does its result.
    """
    calls = _matched(messages, note)
    paired: list[Message] = []
    for index, message in enumerate(messages):
        if message.role == "assistant":
            paired.append(_renamed(message, calls[index]))
            if calls[index] and not _is_user(messages, index + 1):
                paired.append(
                    Message(role="user", blocks=tuple(_results(calls[index], reasons, note)))
                )
            continue
        results = _results(calls[index - 1], reasons, note) if index else ()
        blocks = (*results, *(b for b in message.blocks if not isinstance(b, ToolResult)))
        if blocks == message.blocks:
            paired.append(message)
        elif blocks:
            paired.append(replace(message, blocks=blocks))
    return paired


def _is_user(messages: Sequence[Message], index: int) -> bool:
    return index < len(messages) and messages[index].role == "user"


def _matched(messages: Sequence[Message], note: Note) -> list[list[_Call]]:
    """The calls of each message, every one with its result where there is one."""
    calls = _Calls()
    made: list[list[_Call]] = []
    for index, message in enumerate(messages):
        made.append(list(_calls(message, index, calls, note)))
        for place, block in enumerate(message.blocks):
            if isinstance(block, ToolResult):
                _answer(block, index, place, messages, calls, note)
    return made


def _calls(message: Message, index: int, calls: _Calls, note: Note) -> Iterator[_Call]:
    for block in message.blocks:
        if isinstance(block, ToolUse):
            call = _Call(block, index, _free_id(block.id, calls.taken))
            if call.id != block.id:
                note(
                    f"the call id {block.id[:64]} was used twice; the later call is {call.id[:80]}"
                )
            calls.taken.add(call.id)
            calls.by_id.setdefault(block.id, []).append(call)
            yield call


def _free_id(id: str, taken: set[str]) -> str:
    number, free = 2, id
    while free in taken:
        free = f"{id}_{number}"
        number += 1
    return free


def _answer(
    result: ToolResult,
    index: int,
    place: int,
    messages: Sequence[Message],
    calls: _Calls,
    note: Note,
) -> None:
    open_calls = [call for call in calls.by_id.get(result.tool_use_id, ()) if call.result is None]
    if not open_calls:
        known = "second" if result.tool_use_id in calls.by_id else "orphan"
        note(f"the {known} result of {result.tool_use_id[:64]} was left out; it is in the log")
        return
    newest = open_calls[-1].message
    call = next(call for call in open_calls if call.message == newest)
    call.result = replace(result, tool_use_id=call.id) if call.id != call.use.id else result
    if newest + 1 != index:
        note(f"the result of {call.id[:64]} was moved to its call")


def _renamed(message: Message, calls: list[_Call]) -> Message:
    if all(call.id == call.use.id for call in calls):
        return message
    fresh = iter(calls)
    blocks: list[Block] = []
    for block in message.blocks:
        blocks.append(replace(block, id=next(fresh).id) if isinstance(block, ToolUse) else block)
    return replace(message, blocks=tuple(blocks))


def _results(
    calls: Sequence[_Call], reasons: Mapping[str, str], note: Note
) -> Iterator[ToolResult]:
    for call in calls:
        if call.result is None:
            reason = reasons.get(call.use.id, INTERRUPTED)
            note(f"the call {call.id[:64]} had no result ({reason}); one was made")
            yield ToolResult(tool_use_id=call.id, text=result_text(reason), is_error=True)
        else:
            yield call.result
