from __future__ import annotations

import json
import re

import pytest

from engine.compaction_kit import BUILT_IN, run
from engine.events_kit import Log
from novacore.engine.boundary import boundary_to_json, render_head
from novacore.engine.budget import budget_for
from novacore.engine.state import fold_all, parse_state_text
from novacore.types import CompactRequest, SessionRef, State
from novacore_plugins.compact_state import CompactState


@pytest.fixture
def chinese(shared):
    """The Chinese session of case P07, its tool results as long as real ones."""
    folder = shared("cases", "agent", "P07_compact_constraints_zh")
    log = Log()
    for message in json.loads((folder / "input.json").read_text())["messages"]:
        blocks = message["content"]
        if message["role"] == "assistant":
            log.assistant(*blocks)
            continue
        for block in blocks:
            if block["type"] == "text":
                log.user(block["text"])
            else:
                log.result(block["tool_use_id"], block["content"] * 4)
    return log


RULES = ("不要修改 migrations/", "发布前必须由我审批", "25 元", "用中文")
COMPOUND = "另外可以改测试文件，但前提是生产代码在同一提交里修复。"


async def test_a_chinese_session_keeps_its_rules_three_times(chinese):
    boundaries = []
    for _ in range(3):
        boundary = await run(
            chinese, BUILT_IN, budget=budget_for(32_000), boundaries=boundaries, trigger="hard"
        )
        boundaries.append(boundary)
        assert boundary.verdict == "accepted"
        head = render_head(boundary, {e.id: e for e in chinese.events}.__getitem__)
        told = parse_state_text(head[0].text)
        in_force = [rule.text for rule in told.constraints if not rule.superseded_by]
        for rule in RULES:
            assert any(rule in text for text in in_force)
        assert COMPOUND in in_force
        assert told.reply_language == "zh"
        digest = boundary.passages[-1].text
        assert len(re.findall(r"[\u4e00-\u9fff]", digest)) >= 0.3 * len(re.findall(r"\w", digest))
        chinese.add("compaction", boundary=boundary_to_json(boundary))
        for n in range(12):
            chinese.assistant({"type": "tool_use", "id": f"m{n}", "name": "read", "input": {}})
            chinese.result(f"m{n}", "行内容\n" * 300)
    assert fold_all(chinese.events).constraints == boundaries[0].state.constraints


def test_it_has_no_opinion_where_nothing_can_be_cut():
    request = CompactRequest(
        session=SessionRef(id="s"),
        view=(),
        state=State(),
        legal_cuts=(),
        target_tokens=1,
        model="m",
        window=1,
        used=1,
        trigger="soft",
    )
    assert CompactState().compact(request) is None
