import pytest

from novacore.services import Remembered
from novacore.tools.history import HistoryTool


@pytest.fixture
def past(context):
    context.past.hits = [
        Remembered(
            key="k1",
            text="we chose sqlite for the index",
            uri="event:s7/e1",
            time="2025-01-02",
            score=2.0,
            kind="user",
        ),
        Remembered(
            key="k2",
            text="sqlite needs wal " + "x" * 900,
            uri="mem:db.md",
            time="",
            score=1.0,
            kind="memory",
        ),
    ]
    return context


async def test_a_search_gives_excerpts_with_where_they_come_from(past, call):
    outcome = await HistoryTool().run(call("history", query="sqlite"), past)
    assert outcome.text.startswith("[event:s7/e1 user 2025-01-02]\nwe chose sqlite")
    assert "[mem:db.md memory]" in outcome.text
    assert outcome.text.endswith("...")
    only = await HistoryTool().run(call("history", query="sqlite", memory_only=True), past)
    assert "event:" not in only.text
    one = await HistoryTool().run(call("history", query="sqlite", session="s7"), past)
    assert "mem:" not in one.text
    assert (
        "mem:" not in (await HistoryTool().run(call("history", query="sqlite", limit=1), past)).text
    )


async def test_the_same_search_again_says_so_and_then_stops(past, call):
    texts = [
        (await HistoryTool().run(call("history", query="sqlite"), past)).text for _ in range(3)
    ]
    assert "asked this before" in texts[1]
    assert "we chose sqlite" not in texts[2]


async def test_a_miss_is_no_statement_about_the_world(past, call):
    outcome = await HistoryTool().run(call("history", query="kafka"), past)
    assert (outcome.status, outcome.is_error) == ("not_found", False)
    assert "other words" in outcome.text


async def test_an_event_is_opened_by_its_id(past, call):
    past.open_event = lambda session, event: {("", "e9"): "whole text"}.get((session, event))
    outcome = await HistoryTool().run(call("history", event="event:e9"), past)
    assert (outcome.text, outcome.source.uri) == ("whole text", "event:e9")
    assert (
        await HistoryTool().run(call("history", event="e9", session="s2"), past)
    ).status == "not_found"
    assert (await HistoryTool().run(call("history", query="  "), past)).status == "failed"
