"""The estimate by class of text, and counters that learn."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacore.tokens import TokenCounter, estimate, starting_ratio

PROSE = "The reader keeps a small table of the names that it has seen so far and moves on. " * 30
CODE = (
    """def walk(node):
    if node.children:
        for child in node.children:
            walk(child)
"""
    * 30
)
LOG = (
    "2026-01-12T08:14:33.118Z [4711] ERROR 10.2.33.4:8443 id=8812773 took 1243 ms (code 504)\n" * 40
)
HEX = "".join(hashlib.sha256(str(i).encode()).hexdigest() for i in range(60))
B64 = base64.b64encode(bytes.fromhex(HEX)).decode()
IDS = json.dumps([{"id": str(uuid.uuid5(uuid.NAMESPACE_DNS, str(i))), "n": i} for i in range(80)])
CHINESE = "请不要修改公共接口因为其他团队依赖它们" * 30

CLASSES = [
    (PROSE, 4.0),
    (CODE, 4.8),
    (LOG, 2.2),
    (IDS, 2.2),
    (HEX, 1.5),
    (B64, 1.5),
    (CHINESE, 1.5),
]


@pytest.mark.parametrize(("text", "chars"), CLASSES)
def test_each_class_has_its_figure(text, chars):
    assert len(text) / estimate(text) == pytest.approx(chars, rel=0.05)


def test_mixed_text_is_the_sum_of_its_parts():
    whole = "\n".join(text for text, _ in CLASSES)
    parts = sum(estimate(text) for text, _ in CLASSES)
    assert estimate(whole) == pytest.approx(parts, rel=0.08)


def test_a_path_or_a_rule_is_no_base64():
    for text in ("/usr/lib/python3/dist-packages/novacore/engine/assemble", "=" * 80, "-" * 200):
        assert len(text) / estimate(text) > 3


@pytest.mark.parametrize("text", [PROSE, CODE, LOG, CHINESE, B64])
def test_a_sample_stands_for_a_large_text(text):
    times = 400_000 // len(text)
    assert estimate(text * times) == pytest.approx(estimate(text) * times, rel=0.08)


@given(st.text(), st.text())
def test_never_below_its_parts_by_much_and_zero_only_when_empty(one, other):
    both = estimate(one + other)
    assert (both == 0) == (one + other == "")
    assert both <= len(one + other) / 1.5 + 1
    assert both >= max(estimate(one), estimate(other)) * (1.5 / 4.8) - 1


@pytest.mark.parametrize(
    ("model", "ratio"),
    [
        ("claude-opus-4-6", 1.25),
        ("claude-sonnet-4-5-20250929", 1.25),
        ("claude-opus-4-20250514", 1.25),
        ("claude-3-5-sonnet-20241022", 1.25),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 1.25),
        ("claude-opus-4-7", 1.65),
        ("claude-sonnet-5", 1.65),
        ("claude-haiku-5-5", 1.65),
        ("claude-latest", 1.65),
        ("gpt-6", 1.0),
        ("openai/o3-mini", 1.0),
        ("navigator", 1.0),
        ("qwen3-coder", 1.25),
    ],
)
def test_ratios_start_where_the_model_is_known_to_stand(model, ratio):
    assert starting_ratio(model) == ratio


def test_a_counter_scales_rounds_up_and_adds_to_the_anchor():
    counter = TokenCounter("m", 1.5)
    assert counter.count("") == 0
    assert counter.count("ok") == 2
    assert counter.used(1000, PROSE, "ok") == 1000 + counter.count(PROSE) + 2
    assert "class estimate" in counter.method
    assert "1.50" in counter.method


@pytest.mark.parametrize("truth", [0.8, 1.0, 2.0, 3.0])
def test_a_counter_comes_within_a_tenth_of_the_truth(truth):
    counter = TokenCounter("claude-opus-4-6")
    for _ in range(12):
        counter.learn(3000, round(3000 * truth))
    assert counter.ratio == pytest.approx(truth, rel=0.1)
    assert "learned from 12" in counter.method


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(-5, 10**7))))
def test_a_counter_is_never_led_astray(samples):
    counter = TokenCounter("claude-opus-4-6")
    for estimated, actual in samples:
        counter.learn(estimated, actual)
    assert 0.5 <= counter.ratio <= 4.0


def test_a_small_sample_teaches_nothing():
    counter = TokenCounter("claude-opus-4-6")
    counter.learn(10, 1000)
    assert counter.ratio == 1.25
