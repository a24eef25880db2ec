"""Restatements: when the state is told again near the decision, and what that costs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events_kit import Log
from novacore.engine.boundary import Boundary, Place, boundary_to_json
from novacore.engine.restate import EPOCH_SHARE, PLAN_EVERY, Stated, due, stated_after
from novacore.engine.state import fold_all
from novacore.tokens import estimate
from novacore.types import EventRange, PlanItem, SideEffect, State

ROOMY = 20_000
"""Tokens in use at which 5 % are more than any restatement costs."""


def state(*said, plan=(), effects=()):
    log = Log()
    for words in said:
        log.user(words)
    return replace(fold_all(log.events), plan=tuple(plan), side_effects=tuple(effects))


RULED = state("Fix the parser. Never touch the lexer.")


def ask(now, stated, used, *, turn_start=True):
    return due(now, stated, used=used, turn_start=turn_start, count=estimate)


def tell(stated, data):
    """What stands after that update was appended."""
    return stated_after(stated, Log().add("update", **data), estimate)


def stated_at(now, used=ROOMY):
    return tell(Stated(), ask(now, Stated(), used))


def test_an_empty_state_is_never_told():
    assert ask(State(), Stated(), ROOMY) is None


def test_a_rule_is_told_once_in_the_users_words():
    data = ask(RULED, Stated(), ROOMY)
    assert data["scope"] == "restatement"
    assert "- Never touch the lexer." in data["text"]
    assert ask(RULED, tell(Stated(), data), 2 * ROOMY) is None


def test_words_that_were_just_said_wait_for_the_next_turn_or_for_8000_tokens():
    early = PLAN_EVERY - 1
    assert ask(RULED, Stated(), early, turn_start=False) is None
    assert ask(RULED, Stated(), PLAN_EVERY, turn_start=False) is not None
    assert ask(RULED, Stated(), early, turn_start=True) is not None


def test_a_changed_plan_alone_waits_for_8000_tokens():
    stated = stated_at(RULED)
    planned = replace(RULED, plan=(PlanItem(id="1", text="read it", status="doing"),))
    assert ask(planned, stated, ROOMY + PLAN_EVERY - 1) is None
    data = ask(planned, stated, ROOMY + PLAN_EVERY)
    assert "[doing] read it" in data["text"]


def test_an_open_side_effect_is_told_at_once_whatever_it_costs():
    effect = SideEffect(call_id="c", tool="run", summary="deploy", status="unknown", event="e")
    opened = replace(RULED, side_effects=(effect,))
    data = ask(opened, replace(stated_at(RULED), spent=ROOMY), ROOMY + 1, turn_start=False)
    assert "unknown: run deploy" in data["text"]


def test_restatements_cost_at_most_a_twentieth_of_what_is_in_use():
    used, stated, told = 0, Stated(), 0
    for number in range(200):
        used += 400
        now = state(*(f"You must keep rule {n}." for n in range(number // 10 + 1)))
        if (data := ask(now, stated, used)) is not None:
            stated, told = tell(stated, data), told + estimate(data["text"])
        assert told <= EPOCH_SHARE * used
    assert told > 0


@pytest.mark.parametrize("turn_start", [True, False])
def test_a_boundary_tells_the_state_so_that_it_is_not_told_again(turn_start):
    log = Log()
    asked = log.user("Fix the parser. Never touch the lexer.")
    boundary = Boundary(
        id="b",
        source=EventRange(first=asked.id, last=asked.id),
        upto=asked.id,
        tail_start=Place(event=asked.id, offset=0),
        kept_users=(),
        state=fold_all(log.events),
        passages=(),
        tokens_before=9_000,
        tokens_after=1_000,
        trigger="soft",
        plugin="p",
    )
    event = log.add("compaction", boundary=boundary_to_json(boundary))
    stated = stated_after(Stated(spent=500), event, estimate)
    assert stated.spent == 0
    assert ask(boundary.state, stated, 30_000, turn_start=turn_start) is None
    more = log.user("You must ask me before a release.")
    assert more
    assert ask(fold_all(log.events[2:], boundary.state), stated, 30_000) is not None


sentences = st.lists(
    st.sampled_from(["Never push.", "不得使用浮点数。", "Read a.py.", "Only edit b.py."]),
    max_size=4,
)


@given(st.lists(sentences, max_size=6), st.integers(0, 50_000))
def test_a_log_that_is_read_again_knows_what_was_told(turns, used):
    log, stated, now = Log(), Stated(), State()
    for said in turns:
        for words in said:
            log.user(words)
        now = fold_all(log.events)
        if (data := ask(now, stated, used)) is not None:
            stated = stated_after(stated, log.add("update", **data), estimate)
    again = Stated()
    for event in log.events:
        again = stated_after(again, event, estimate)
    assert again == stated
    assert ask(now, again, used) is None or again.spent == stated.spent
