"""What a compaction must keep: checked of the proposal, and of the boundary that was made from it.

The same rules for every proposer, at run time, in the conformance kit and in evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from novacore.engine.boundary import Boundary, HeadPart
from novacore.engine.cuts import cut_of
from novacore.engine.plain import well_typed
from novacore.engine.state import parse_state_text
from novacore.engine.verify.passages import event_of, verify_passages
from novacore.engine.verify.patches import verify_patch
from novacore.errors import ContractError
from novacore.types import (
    Compaction,
    CompactRequest,
    KeepEvent,
    KeepLines,
    State,
    StatePatch,
)


def verify_compact(answer: Any, request: CompactRequest) -> None:
    """A legal cut, passages that tile the span, kept parts inside it, and a patch that is shown.

    Raises ContractError that says what to do better.
    """
    if not well_typed(Compaction, answer):
        raise ContractError(f"compact gives a Compaction of its declared types, not {answer!r:.80}")
    cut = cut_of(answer, request)
    verify_passages(answer.passages, request, cut)
    for entry in answer.keep:
        _verify_keep(entry, request, cut)
    if answer.patch is not None:
        verify_patch(answer.patch, request)


def verify_boundary(
    boundary: Boundary,
    head: Sequence[HeadPart],
    *,
    before: State,
    patch: StatePatch | None,
    limit: int,
) -> None:
    """What the rendered head tells equals what the state before told, and it is smaller.

    ``head`` is read back by the grammar, so that what the model is shown is checked, not what it
    was made from. ``limit`` is the most tokens that the window may hold afterwards. Raises
    ContractError.
    """
    try:
        told = parse_state_text(head[0].text)
    except ValueError as error:
        raise ContractError(f"the rendered state cannot be read back: {error}") from error
    if told != boundary.state:
        raise ContractError("the rendered state reads back differently")
    lost = [*_lost(before, told, patch or StatePatch())]
    if lost:
        raise ContractError(f"lost by the compaction: {'; '.join(lost[:5])}")
    if boundary.tokens_after >= boundary.tokens_before:
        raise ContractError(
            f"not smaller: {boundary.tokens_before:,} tokens, then {boundary.tokens_after:,}"
        )
    if boundary.tokens_after > limit:
        over = boundary.tokens_after - limit
        raise ContractError(f"over the target by {over:,} tokens: shorter passages, less kept")


def _verify_keep(entry: KeepEvent | KeepLines, request: CompactRequest, cut: int) -> None:
    end = request.view[cut].event.seq
    if isinstance(entry, KeepEvent):
        if event_of(entry.event, request).seq >= end:
            raise ContractError(f"event {entry.event[:64]} lies outside the span before the cut")
        return
    lines = entry.lines
    for item in request.view[:cut]:
        data = item.event.data
        if item.event.kind == "tool_result" and data.get("call_id") == entry.output_id:
            if 1 <= lines.start_line <= lines.end_line <= int(data.get("lines") or 1 << 60):
                return
            raise ContractError(f"output {entry.output_id[:64]} has no such lines")
    raise ContractError(f"output {entry.output_id[:64]} lies outside the span before the cut")


def _lost(before: State, told: State, patch: StatePatch) -> Iterator[str]:
    """Every pinned entry that is not told any more, byte for byte."""
    if told.goal != before.goal:
        yield "the goal"
    if told.reply_language != before.reply_language:
        yield "the language of the answers"
    replaced = {change.old: change.event for change in patch.superseded}
    told_rules = {rule.id: rule for rule in told.constraints}
    for rule in before.constraints:
        now = told_rules.get(rule.id)
        ended = rule.superseded_by or replaced.get(rule.text, "")
        same = now is not None and (now.text, now.condition) == (rule.text, rule.condition)
        if now is None or not same or now.superseded_by != ended:
            yield f"the rule {rule.text[:80]!r}"
    for name, is_pinned in _PINNED.items():
        held, entries = getattr(told, name), filter(is_pinned, getattr(before, name))
        yield from (f"{name}: {entry!s:.80}" for entry in entries if entry not in held)
    closed = set(patch.resolved_loops)
    loops = (loop for loop in before.open_loops if loop.id not in closed)
    yield from (f"open loop {loop.text[:80]!r}" for loop in loops if loop not in told.open_loops)
    ended_rules = {rule.id for rule in before.constraints if rule.text in replaced}
    for conflict in before.conflicts:
        decided = ended_rules & {candidate.id for candidate in conflict.candidates}
        if not decided and conflict not in told.conflicts:
            yield f"the conflict about {conflict.subject[:80]!r}"


_PINNED: Mapping[str, Callable[[Any], bool]] = {
    "done_when": lambda _: True,
    "conditions": lambda _: True,
    "decisions": lambda _: True,
    "facts": lambda _: True,
    "plan": lambda _: True,
    "identifiers": lambda _: True,
    "numbers": lambda _: True,
    "files": lambda file: file.action != "read",
    "commands": lambda command: command.exit_code != 0,
    "side_effects": lambda effect: effect.status != "committed",
}
"""Which entries of a slot may not be missing; the others can be told again from log and disk."""
