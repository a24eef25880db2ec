"""What a spill plan must keep, as a plugin's author would break it."""

from __future__ import annotations

import pytest

from novacore.engine.verify.spill import verify_spill
from novacore.errors import ContractError
from novacore.types import LineRange, SessionRef, SpillItem, SpillLimits, SpillPlan, SpillRequest
from spill.door import output

REQUEST = SpillRequest(
    session=SessionRef(id="s"),
    outputs=(output("a", "1\n2\n3"), output("back", "x", exempt=True), output("none", "")),
    limits=SpillLimits(),
    token_budget=100,
)


def plan(start, end, *, id="a", **more):
    lines = LineRange(start_line=start, end_line=end)
    return SpillPlan(items=(SpillItem(output_id=id, ranges=(lines,), **more),))


@pytest.mark.parametrize(
    "answer",
    [
        "a",
        plan(1, 1, id="b"),
        plan(0, 1),
        plan(2, 1),
        plan(1, 4),
        plan(True, 1),
        plan(1.0, 2),
        plan(1, 1, id="none"),
        plan(1, 1, note="n" * 2001),
        plan(1, 1, note=None),
        SpillPlan(items=[]),
        SpillPlan(items=("a",)),
        SpillPlan(items=(SpillItem(output_id="a", ranges=((1, 2),)),)),
    ],
)
def test_a_broken_plan_is_refused(answer):
    with pytest.raises(ContractError):
        verify_spill(answer, REQUEST)


@pytest.mark.parametrize(
    "answer",
    [plan(1, 3), plan(1, 1, id="back"), SpillPlan(items=(SpillItem(output_id="none", ranges=()),))],
)
def test_a_sound_plan_is_not(answer):
    verify_spill(answer, REQUEST)
