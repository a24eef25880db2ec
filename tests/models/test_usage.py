"""Counters of every shape: never negative, never erased, contradictions flagged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from novacore.models import usage

NAMES = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
counts = st.none() | st.integers(min_value=-5, max_value=10**7)
parts = st.lists(st.none() | st.dictionaries(st.sampled_from(NAMES), counts), max_size=5)


@given(parts)
def test_a_stream_is_the_last_word_on_each_counter(given_parts):
    found = usage.anthropic(given_parts)
    last = {k: v for p in given_parts if p for k, v in p.items() if v is not None}
    if not last:
        assert found is None
        return
    assert found.uncached == max(0, last.get("input_tokens", 0))
    assert found.output == max(0, last.get("output_tokens", 0))
    assert found.occupancy >= found.cache_read + found.cache_write >= 0


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_openai_input_is_split_and_never_grows(total, cached, output):
    found = usage.openai(
        {
            "input_tokens": total,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": output,
        }
    )
    assert found.uncached + found.cache_read == total
    assert found.inconsistent == (cached > total)


def test_a_split_that_does_not_add_up_is_flagged():
    found = usage.anthropic(
        [
            {
                "input_tokens": 1,
                "cache_creation_input_tokens": 10,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 3,
                    "ephemeral_1h_input_tokens": 4,
                },
            }
        ]
    )
    assert found.inconsistent
    assert (found.cache_write, found.cache_write_1h) == (10, 4)


def test_an_unknown_price_is_no_cost():
    assert usage.cost(usage.estimated("a", "b"), None) is None
