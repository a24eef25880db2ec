from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacore.engine.state.rules import rules_in

RULES = [
    ("Fix it. Don't touch migrations/.", ["Don't touch migrations/."]),
    ("Never push without my approval!", ["Never push without my approval!"]),
    ("You must keep v1.2.3 of a.py. Thanks.", ["You must keep v1.2.3 of a.py."]),
    (
        "Could you refactor auth.py without changing the public API?",
        ["Could you refactor auth.py without changing the public API?"],
    ),
    (
        "Rules:\n- tabs, not spaces\n- no new packages\n",
        ["- tabs, not spaces", "- no new packages"],
    ),
    (
        "You may edit test files only if the production code is fixed\nin the same commit.",
        ["You may edit test files only if the production code is fixed\nin the same commit."],
    ),
    (
        "硬性要求：1）不要修改 migrations/ 目录；2）发布前必须由我审批；3）退款上限 40 元；"
        "4）用表格输出。",
        [
            "1）不要修改 migrations/ 目录",
            "2）发布前必须由我审批",
            "3）退款上限 40 元",
            "4）用表格输出。",
        ],
    ),
    (
        "另外可以改测试文件，但前提是生产代码在同一提交里修复。",
        ["另外可以改测试文件，但前提是生产代码在同一提交里修复。"],
    ),
    ("先看一下。别动 config.yaml。", ["别动 config.yaml。"]),
]

NO_RULES = [
    "The test always fails on CI.",
    "I don't know why it happens.",
    "Why must it be restarted?",
    "为什么不能登录？",
    "特别说明：分别检查 A 和 B 的区别。",
    '> you must not do this\n\nThe log says "you must stop".',
    "```\nnever do this\n```\nand `must_not` is a name",
    "See:\n<persisted-output id=1>\nYou must not stop.\n</persisted-output>",
    "Here is the log:\n" + "you must never do that thing again\n" * 100,
    "",
]


@pytest.mark.parametrize(("text", "expected"), RULES)
def test_a_sentence_with_a_modal_is_a_rule_verbatim(text, expected):
    assert [rule.text for rule in rules_in(text)] == expected


@pytest.mark.parametrize("text", NO_RULES)
def test_descriptions_questions_quotes_code_and_pastes_are_not(text):
    assert list(rules_in(text)) == []


def test_typed_rules_around_a_paste_are_kept():
    log = "\n\n".join(f"2024-01-01 12:00 ERROR value must not be null {n}" for n in range(100))
    text = f"Do not edit a.py.\n\n{log}\n\nAlways run make lint."
    assert [rule.text for rule in rules_in(text)] == ["Do not edit a.py.", "Always run make lint."]


def test_a_rule_keeps_its_condition():
    (rule,) = rules_in("If the tests fail, do not push; ask me first.")
    assert rule.condition == "If the tests fail"
    assert rule.condition in rule.text


@given(st.text(alphabet="must not never do 不要。.;1)-\n`\"'> ", max_size=300))
def test_rules_are_parts_of_the_text(text):
    for rule in rules_in(text):
        assert rule.text in text
        assert rule.condition in rule.text


@pytest.mark.parametrize("unit", ["x", " ", "\n", "“", "`", "a. ", "must ", "> q\n", "; 1) a"])
def test_hostile_text_costs_no_more_than_its_length(unit):
    start = time.perf_counter()
    list(rules_in(unit * (300_000 // len(unit))))
    # A quadratic pattern takes minutes here; a linear one well under a second.
    assert time.perf_counter() - start < 20
