"""P23: token and cost arithmetic across providers (F1 to F7: the counters of one call)."""

from __future__ import annotations

import json

import pytest

from novacore.models import usage
from novacore.types import Price


@pytest.fixture
def case(shared):
    """The case's samples by id, and its prices."""
    data = json.loads(shared("cases", "agent", "P23_usage_normalise", "input.json").read_text())
    return {row["id"]: row for row in data["samples"]}, data["prices_per_mtok"]


def streamed(sample):
    """The usage of a recorded stream; ``connection_lost`` is how it ends when it breaks."""
    rows = [row for row in sample["stream"] if "connection_lost" not in row]
    parts = [next(iter(row.values())) for row in rows]
    return usage.anthropic(parts, complete=len(rows) == len(sample["stream"]))


def price(given):
    return Price(
        uncached=given["in"],
        cache_read=given["read"],
        cache_write=given.get("write_5m", 0),
        cache_write_1h=given.get("write_1h", 0),
        output=given["out"],
    )


def test_f1_cumulative_counters_and_both_kinds_of_cache_writes(case):
    samples, prices = case
    found = streamed(samples["A1"])
    assert (found.uncached, found.cache_write, found.cache_read) == (12, 40_000, 88_000)
    assert found.cache_write_1h == 10_000
    assert found.output == 1_500
    assert found.occupancy == 129_512
    assert usage.cost(found, price(prices["anthropic"])) == pytest.approx(0.36906)
    assert not any((found.incomplete, found.inconsistent, found.estimated))


def test_f2_a_null_counter_erases_nothing(case):
    found = streamed(case[0]["A2"])
    assert (found.uncached, found.cache_write, found.cache_read) == (12, 0, 88_000)
    assert found.output == 90
    assert found.occupancy == 88_102


def test_f3_a_lost_connection_still_counts_and_says_so(case):
    found = streamed(case[0]["A3"])
    assert found.uncached == 500
    assert found.output >= 1
    assert found.incomplete


def test_f4_openai_input_includes_the_cache_and_output_the_reasoning(case):
    samples, prices = case
    found = usage.openai(samples["O1"]["usage"])
    assert (found.uncached, found.cache_read, found.cache_write) == (8_000, 42_000, 0)
    assert found.output == 2_000
    assert found.occupancy == 52_000
    assert usage.cost(found, price(prices["openai"])) == pytest.approx(0.03525)


def test_f5_responses_without_details(case):
    found = usage.openai(case[0]["O2"]["usage"])
    assert (found.uncached, found.cache_read) == (9_000, 0)
    assert found.occupancy == 9_100


def test_f6_more_cached_than_sent_is_flagged_and_never_negative(case):
    found = usage.openai(case[0]["O3"]["usage"])
    assert found.uncached == 0
    assert found.cache_read in (100, 120)
    assert found.output == 5
    assert found.inconsistent


def test_f7_nothing_reported_is_an_estimate_that_says_so(case):
    assert usage.openai(case[0]["N1"]["usage"]) is None
    found = usage.estimated("What is this? " * 50, "A test.")
    assert found.estimated
    assert found.uncached > 100
    assert found.output >= 1
