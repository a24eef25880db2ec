from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacore.engine.budget import budget_for, zone
from novacore.errors import ConfigError

windows = st.integers(16_000, 2_000_000)


def test_the_table_at_200k():
    budget = budget_for(200_000)
    assert (budget.out, budget.soft, budget.hard) == (20_000, 167_000, 177_000)
    assert (budget.tail_min, budget.tail_max, budget.tail_messages) == (10_000, 40_000, 5)
    assert (budget.smallest_prefix, budget.target) == (2_000, 75_150)
    assert (budget.recovery, budget.user_share, budget.hysteresis) == (16_700, 16_700, 5_000)
    assert [round(part, -2) for part in budget.shares.values()] == [
        8_700,
        11_600,
        8_700,
        17_300,
        23_100,
        5_800,
    ]


@given(windows, st.sampled_from([0, 1_024, 8_192, 32_000, 128_000]), st.none() | st.just(200_000))
def test_lines_are_in_order_for_every_window(window, max_output, soft_cap):
    budget = budget_for(window, max_output=max_output, soft_cap=soft_cap)
    assert 0 < budget.tail_min <= budget.tail_max < budget.soft < budget.hard
    assert budget.hard < budget.window - budget.out
    assert budget.tail_min < budget.target < budget.soft
    assert min(budget.smallest_prefix, budget.recovery, budget.hysteresis) > 0
    assert sum(budget.shares.values()) <= budget.target


@given(windows)
def test_large_windows_scale_the_tail_up_to_a_factor(window):
    budget = budget_for(window, scale_with_window=2)
    assert 1 <= budget.scale <= 2
    assert budget.tail_min <= 20_000
    assert budget_for(window, scale_with_window=1).tail_max <= 40_000


def test_the_soft_line_is_capped_unless_the_user_lifts_it():
    assert budget_for(1_000_000).soft == 200_000
    assert budget_for(1_000_000, soft_cap=None).soft == 967_000


def test_a_small_window_is_refused_with_what_to_do():
    with pytest.raises(ConfigError, match=r"15,999.*at least 16,000"):
        budget_for(15_999)


@pytest.mark.parametrize(
    ("used", "last", "expected"),
    [
        (166_999, None, "none"),
        (167_000, None, "soft"),
        (171_999, 167_000, "none"),
        (172_000, 167_000, "soft"),
        (177_000, 176_999, "hard"),
    ],
)
def test_a_line_is_crossed_at_the_line_and_tried_again_after_hysteresis(used, last, expected):
    assert zone(budget_for(200_000), used, last_attempt=last) == expected


def test_short_greetings_never_compact():
    assert zone(budget_for(16_000), 4_000 + 40 * 60) == "none"
