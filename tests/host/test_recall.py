"""Recall beside the turn: bounded, ranked, deduplicated, and the same each time."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.plugin_folder import eventually, make_host, recall_request
from novacore.engine.recall import RecallRun
from novacore.engine.verify.recall import verify_recall
from novacore.errors import ContractError, RequiredPluginFailed
from novacore.tokens import estimate
from novacore.types import Authority, Recalled


def item(key, text="", score=0.5, uri="", version="v"):
    return Recalled(
        key=key,
        text=text or f"text of {key}",
        uri=uri or f"mem:{key}",
        version=version,
        score=score,
    )


def recalling(*items, seconds=0.0):
    class Mine:
        async def recall(self, request):
            await asyncio.sleep(seconds)
            return items

    return Mine


async def run_of(host, plugins, request=None, **more):
    for name, plugin in plugins.items():
        await host.register(plugin, name)
    return RecallRun(host, request or recall_request(), count=estimate, **more)


def keys(result):
    return [found.item.key for found in result.items]


async def test_a_plugin_may_be_waited_for_longer_than_the_others(hosts):
    patient, slow = recalling(item("a"), seconds=0.3), recalling(item("b"), seconds=3)
    run = await run_of(hosts(), {"patient": patient, "slow": slow})
    first = await run.ready(0.0, {"patient": 3.0})
    assert (keys(first), first.waiting) == (["a"], ("slow",))


async def test_what_is_late_joins_a_later_request_of_the_same_turn(hosts):
    quick, slow = recalling(item("a")), recalling(item("b"), item("a2", "text of a"), seconds=0.5)
    run = await run_of(hosts(), {"quick": quick, "slow": slow})
    begun = time.monotonic()
    first = await run.ready(0.3)
    assert time.monotonic() - begun < 5
    assert (keys(first), first.waiting) == (["a"], ("slow",))
    assert keys(await run.late()) == []
    await asyncio.sleep(1.5)
    late = await run.late()
    assert keys(late) == ["b"]
    assert [(out.id, out.reason) for out in late.left_out] == [("slow:a2", "duplicate")]
    assert run.close() == ()


async def test_nothing_waits_longer_than_the_plugins_need(hosts):
    run = await run_of(hosts(), {"quick": recalling(item("a"))})
    begun = time.monotonic()
    assert keys(await run.ready(30)) == ["a"]
    assert time.monotonic() - begun < 10


async def test_what_comes_after_the_turn_is_dropped(hosts):
    run = await run_of(hosts(), {"slow": recalling(item("a"), seconds=0.1)})
    assert keys(await run.ready(0)) == []
    assert run.close() == ("slow",)
    await asyncio.sleep(0.3)
    assert keys(await run.late()) == []


async def test_a_cancelled_turn_stops_the_plugins_without_a_fault(hosts):
    ended = []

    class Mine:
        async def recall(self, request):
            try:
                await asyncio.sleep(600)
            finally:
                ended.append("stopped")

    host = hosts()
    run = await run_of(host, {"mine": Mine})
    await asyncio.sleep(0.1)
    run.cancel()
    await eventually(lambda: ended)
    assert host.drain_faults() == ()


async def test_authority_then_score_then_name_make_the_order(hosts):
    plugins = {
        "b": recalling(item("b1", score=0.9), item("b2", score=0.4)),
        "a": recalling(item("a1", score=0.4)),
        "team": recalling(item("t1", score=0.1)),
    }
    raised = {"team": Authority.EXPLICIT_DECISION}
    run = await run_of(hosts(), plugins, authority=raised)
    assert keys(await run.ready(5)) == ["t1", "b1", "a1", "b2"]


async def test_a_denied_item_takes_no_part_and_a_known_one_is_not_told_again(hosts):
    run = await run_of(
        hosts(),
        {"mine": recalling(item("a"), item("b"), item("c"))},
        recall_request(limit=3),
        permitted=lambda plugin, found: found.key != "a",
        known=[("mem:b", "v")],
    )
    result = await run.ready(5)
    assert keys(result) == ["c"]
    assert {out.id: out.reason for out in result.left_out} == {
        "mine:a": "denied",
        "mine:b": "duplicate",
    }


async def test_the_budget_holds_for_the_whole_turn(hosts):
    words = "some words of prose that take a few tokens, "
    plugins = {f"p{n}": recalling(item(f"k{n}", words * (n + 1))) for n in range(4)}
    most = estimate(words) + estimate(words * 2)
    plugins["big"] = recalling(item("large", words * 2 + "more", score=0.9))
    run = await run_of(hosts(), plugins, recall_request(limit=2, max_tokens=most))
    result = await run.ready(5)
    assert sum(found.tokens for found in result.items) <= most
    assert keys(result)[0] == "large"
    assert len(result.left_out) + len(result.items) + len(result.faults) == 5


async def test_a_required_recall_plugin_that_fails_ends_the_turn(hosts):
    class Mine:
        def recall(self, request):
            raise ValueError

    run = await run_of(hosts(required=("mine",)), {"mine": Mine})
    with pytest.raises(RequiredPluginFailed):
        await run.ready(5)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("a string", "not a str"),
        ([item(str(n)) for n in range(6)], "at most 5"),
        (["text"], "not a Recalled"),
        ([item("a"), item("a")], "same key"),
        ([item("a", score=float("nan"))], "finite"),
        ([item("a", text=" ")], "lacks"),
        ([item("a", text=7)], "not a string"),
        ([item("a", "word " * 400_000)], "tokens"),
    ],
)
def test_the_contract(answer, words):
    with pytest.raises(ContractError, match=words):
        verify_recall(answer, recall_request(), estimate)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.sampled_from((0.1, 0.5, 0.9))),
        max_size=12,
        unique_by=lambda row: row[:2],
    ),
    st.integers(1, 5),
    st.integers(1, 40),
)
async def test_any_answers_keep_limit_budget_and_order(rows, limit, most):
    host = make_host()
    try:
        plugins = {}
        for name in "abc":
            mine = [item(f"k{n}", f"word {n}", score) for p, n, score in rows if p == name]
            plugins[name] = recalling(*mine[:limit])
        run = await run_of(host, plugins, recall_request(limit=limit, max_tokens=most))
        result = await run.ready(10)
        assert len(result.items) <= limit
        assert sum(found.tokens for found in result.items) <= most
        texts = [found.item.text for found in result.items]
        assert len(set(texts)) == len(texts)
        scores = [found.item.score for found in result.items]
        assert scores == sorted(scores, reverse=True)
    finally:
        await host.aclose()
