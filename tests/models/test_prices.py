"""Prices: a dated file, matched by name, overridden by the user."""

from __future__ import annotations

import pytest

from novacore.models.prices import dated, price_of
from novacore.types import Price, Usage

MINE = Price(uncached=1, cache_read=0, cache_write=1, cache_write_1h=1, output=2)


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("claude-opus-4-5", 25),
        ("claude-opus-4-5-20251101", 25),
        ("claude-opus-4-5@20251101", 25),
        ("claude-sonnet-5-5", 10),
        ("claude-sonnet-4-6", 15),
    ],
)
def test_a_model_is_found_by_name_or_dated_name(model, output):
    assert price_of(model).output == output


@pytest.mark.parametrize("model", ["claude-opus-4-55", "llama-4", "", "claude", "claude-opus-45"])
def test_an_unknown_price_is_none(model):
    assert price_of(model) is None


def test_the_users_price_wins():
    overrides = {"claude-opus-4-5": MINE, "llama-4": MINE}
    assert price_of("claude-opus-4-5", overrides=overrides) == MINE
    assert price_of("llama-4", overrides=overrides) == MINE
    assert price_of("claude-sonnet-5-5", overrides=overrides) != MINE


def test_long_input_has_its_own_price_where_the_file_says_so():
    short = price_of("claude-haiku-5-5", Usage(uncached=100_000))
    long = price_of("claude-haiku-5-5", Usage(uncached=1, cache_read=100_000))
    assert long.output == 5 * short.output


def test_the_file_is_dated_and_says_its_source():
    day, source = dated()
    assert day >= "2026-10-01"
    assert source.startswith("https://")
