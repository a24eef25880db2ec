"""A boundary that lost something is refused, whatever made it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.compaction_kit import BUILT_IN, run, session
from engine.events_kit import Log
from novacore.engine.boundary import render_head
from novacore.engine.state import fold_all
from novacore.engine.verify.compact import verify_boundary
from novacore.errors import ContractError
from novacore.types import StatePatch, Supersession


@pytest.fixture
async def log():
    log = session()
    log.add("state_edit", by="user", op="pin", slot="decision", text="Ship on Friday.")
    log.add("state_edit", by="user", op="pin", slot="identifier", text="PO-20931-K")
    log.add("permission", question={"id": "q", "title": "run make"}, outcome="")
    log.result("m", files=[{"path": "src/a.py", "action": "modified"}])
    log.result("t", command="make test", exit_code=2, error_line="FAILED test_a")
    log.add("tool_result", call_id="x", name="read", status="denied", reason="outside the roots")
    return log


def check(boundary, log: Log, *, state=None, patch=None, limit=10**9):
    told = boundary if state is None else replace(boundary, state=state)
    head = render_head(told, {e.id: e for e in log.events}.__getitem__)
    verify_boundary(told, head, before=fold_all(log.events), patch=patch, limit=limit)


async def test_the_built_ins_boundary_passes(log):
    check(await run(log, BUILT_IN), log)


def changed_rule(state):
    (rule,) = state.constraints
    return replace(state, constraints=(replace(rule, text=rule.text.replace("never", "rarely")),))


LOSSES = {
    "the rule": lambda s: replace(s, constraints=()),
    "the rule 'You must never": changed_rule,
    "the rule '": lambda s: replace(
        s, constraints=(replace(s.constraints[0], superseded_by="e9"),)
    ),
    "the goal": lambda s: replace(s, goal=None),
    "the language": lambda s: replace(s, reply_language="zh"),
    "side_effects": lambda s: replace(s, side_effects=()),
    "side_effects: SideEffect(call_id='d'": lambda s: replace(
        s, side_effects=(replace(s.side_effects[0], status="committed"),)
    ),
    "decisions": lambda s: replace(s, decisions=()),
    "conditions": lambda s: replace(s, conditions=()),
    "identifiers": lambda s: replace(s, identifiers=()),
    "open loop": lambda s: replace(s, open_loops=()),
    "files: FileRecord(path='src/a.py'": lambda s: replace(s, files=s.files[:-1]),
    "commands": lambda s: replace(s, commands=()),
}


@pytest.mark.parametrize("words", LOSSES)
async def test_a_loss_is_named(log, words):
    boundary = await run(log, BUILT_IN)
    with pytest.raises(ContractError) as refused:
        check(boundary, log, state=LOSSES[words](boundary.state))
    assert words in str(refused.value)


async def test_a_rule_may_be_superseded_by_a_patch_that_quotes_it(log):
    boundary = await run(log, BUILT_IN)
    (rule,) = boundary.state.constraints
    ended = replace(boundary.state, constraints=(replace(rule, superseded_by="e9"),))
    patch = StatePatch(superseded=(Supersession(old=rule.text, new="Now you may.", event="e9"),))
    check(boundary, log, state=ended, patch=patch)


async def test_what_is_told_must_be_what_is_recorded(log):
    boundary = await run(log, BUILT_IN)
    head = render_head(boundary, {e.id: e for e in log.events}.__getitem__)
    other = replace(boundary, state=replace(boundary.state, narrative="more"))
    with pytest.raises(ContractError, match="reads back differently"):
        verify_boundary(other, head, before=boundary.state, patch=None, limit=10**9)
    broken = (replace(head[0], text="a summary without a state"), *head[1:])
    with pytest.raises(ContractError, match="cannot be read back"):
        verify_boundary(boundary, broken, before=boundary.state, patch=None, limit=10**9)


async def test_a_boundary_must_be_smaller_and_within_its_limit(log):
    boundary = await run(log, BUILT_IN)
    with pytest.raises(ContractError, match="not smaller"):
        check(replace(boundary, tokens_after=boundary.tokens_before), log)
    with pytest.raises(ContractError, match="over the target by 1 tokens"):
        check(boundary, log, limit=boundary.tokens_after - 1)
