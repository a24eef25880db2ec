"""Secrets with something inside that a terminal does not show."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacore.tools.secrets import Masker
from novacore.tools.unseen import seen

SECRET = "sk-ant-api03-" + "Q7xK" * 15


@pytest.fixture
def masker():
    return Masker(b"k" * 32)


@pytest.mark.parametrize(
    "text",
    [
        f"\x1b[32m{SECRET}\x1b[0m",
        f"key {SECRET[:20]}\x1b[1;31m{SECRET[20:]} end",
        f"key {SECRET[:9]}\u200b{SECRET[9:]}",
        f"key {SECRET[:9]}\ufeff{SECRET[9:30]}\xad{SECRET[30:]}",
        "key " + "".join(f"{char}\b{char}" for char in SECRET),
        f"key {SECRET[:15]}\x9b0m{SECRET[15:]}",
        f"key {SECRET[:15]}\x1b]8;;https://x.invalid\x1b\\{SECRET[15:]}\x1b]8;;\x07",
        f"title \x1b]0;{SECRET}\x07",
        f"API_KEY=\x1b[33m{SECRET[14:40]}\x1b[0m",
    ],
)
def test_it_is_masked_whole(masker, text):
    masked = masker.mask(text).text
    left = seen(masked).text if seen(masked) else masked
    assert "[secret:" in masked
    assert not [n for n in range(14, 36, 4) if SECRET[n : n + 4] in left]
    assert masker.mask(masked).text == masked


def test_the_mark_is_that_of_the_plain_secret(masker):
    plain = masker.mask(SECRET).text
    assert plain in masker.mask(f"{SECRET[:20]}\x1b[1m{SECRET[20:]}").text
    assert plain in masker.mask(f"\x1b[1m{SECRET}\x1b[0m").text


def test_colours_around_ordinary_words_stay(masker):
    text = "\x1b[32mok\x1b[0m  tests/test_a.py::test_b \x1b[1mPASSED\x1b[0m\b\u200b\n"
    assert masker.mask(text).text == text


PIECES = st.sampled_from(
    ["a", "B", "\n", " ", "\x1b", "[", "0", ";", "m", "]", "\x07", "\b", "\u200b", "\x9d", "\\"]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_what_is_seen_lies_where_it_says(text):
    shown = seen(text)
    if shown is None:
        return
    assert [text[shown.place(n)] for n in range(len(shown.text))] == list(shown.text)
    places = [shown.place(n) for n in range(len(shown.text))]
    assert places == sorted(set(places))
    for char in "\x1b\u200b\b":
        assert char not in shown.text


@pytest.mark.parametrize("unit", ["\x1b[", "\x1b]a", "\x9d", "\x9dab", "\x1bP", "a\b", "\x1b[0;"])
def test_hostile_sequences_cost_no_more_than_their_length(masker, unit):
    def cost(count):
        begun = time.perf_counter()
        masker.mask(unit * count)
        return time.perf_counter() - begun

    cost(1_000)
    assert cost(200_000) < 40 * max(cost(20_000), 0.005)
