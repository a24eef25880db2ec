"""Merging a verified patch: it adds, resolves and supersedes; it cannot delete."""

from __future__ import annotations

from dataclasses import replace

from novacore.engine.state.ids import derived_id
from novacore.types import State, Statement, StatePatch, Supersession


def merge_patch(state: State, patch: StatePatch) -> State:
    """``state`` with what a patch adds. The patch must have passed ``verify.compact``.

    What is there already (the same words from the same event) is not added twice.
    """
    known_facts = {(fact.claim, fact.evidence) for fact in state.facts}
    facts = tuple(f for f in patch.facts if (f.claim, f.evidence) not in known_facts)
    loops = tuple(loop for loop in state.open_loops if loop.id not in patch.resolved_loops)
    merged = replace(
        state,
        facts=(*state.facts, *facts),
        decisions=_joined(state.decisions, patch.decisions),
        ruled_out=_joined(state.ruled_out, patch.ruled_out),
        open_loops=loops,
    )
    for change in patch.superseded:
        merged = _superseded(merged, change)
    return merged


def _joined(held: tuple[Statement, ...], new: tuple[Statement, ...]) -> tuple[Statement, ...]:
    known = {(statement.text, statement.event) for statement in held}
    return (*held, *(s for s in new if (s.text, s.event) not in known))


def _superseded(state: State, change: Supersession) -> State:
    """Mark the old sentence; the new one is a constraint from here on if it was none before."""
    old = {rule.id for rule in state.constraints if rule.text == change.old}
    rules = tuple(
        replace(rule, superseded_by=change.event)
        if rule.id in old and not rule.superseded_by
        else rule
        for rule in state.constraints
    )
    if all(rule.superseded_by or rule.text != change.new for rule in rules):
        id = derived_id("rule", change.event, change.new)
        rules = (*rules, Statement(id=id, text=change.new, event=change.event))
    conflicts = tuple(
        conflict
        for conflict in state.conflicts
        if not old & {candidate.id for candidate in conflict.candidates}
    )
    return replace(state, constraints=rules, conflicts=conflicts)
