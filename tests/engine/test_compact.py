from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compaction_kit import (
    BUDGET,
    BUILT_IN,
    RULE,
    Scripted,
    between,
    grow,
    items_of,
    run,
    session,
    whole,
)
from engine.events_kit import Log, call, text
from novacore.engine.boundary import boundary_from_json, boundary_to_json, render_head
from novacore.engine.compact import Refused
from novacore.engine.state import fold_all, parse_state_text
from novacore.errors import PinnedOverflow
from novacore.types import (
    EventRange,
    Fact,
    KeepEvent,
    KeepLines,
    LineRange,
    Passage,
    Statement,
    StatePatch,
    Supersession,
)


def lookup_of(log):
    return {e.id: e for e in log.events}.__getitem__


def head_of(boundary, log):
    return render_head(boundary, lookup_of(log))


async def test_the_built_in_shrinks_and_keeps_what_is_pinned():
    log = session()
    boundary = await run(log, BUILT_IN)
    assert boundary.plugin == "compact_state"
    assert boundary.tokens_after < boundary.tokens_before
    assert boundary.tokens_after <= BUDGET.target + BUDGET.shares["task"]
    assert boundary.state == fold_all(log.events)
    summary = head_of(boundary, log)[0]
    assert parse_state_text(summary.text) == boundary.state
    assert RULE in summary.text
    assert "/state/sessions/s/events.jsonl" in summary.text
    assert summary.events == ("e1", boundary.source.last)


async def test_a_state_too_large_for_its_room_loses_what_can_be_told_again():
    log = session()
    log.result("m", files=[{"path": "src/changed.py", "action": "modified"}])
    log.result("t", command="make test", exit_code=2, error_line="FAILED test_a")
    for n in range(60):
        log.result(f"r{n}", command=f"make {n}", exit_code=0)
        log.add("tool_started", call_id=f"w{n}", name="write", summary="x " * 40, read_only=False)
        log.result(f"w{n}", files=[{"path": f"read/{n}.py", "action": "read"}])
    grow(log, 12, name="last")
    boundary = await run(log, BUILT_IN)
    before, after = fold_all(log.events), boundary.state
    assert after.constraints == before.constraints
    assert [f.path for f in after.files if f.action != "read"] == ["src/changed.py"]
    assert [c.error for c in after.commands if c.exit_code] == ["FAILED test_a"]
    assert [e.call_id for e in after.side_effects if e.status == "started"] == ["d"]
    assert len(after.commands) < len(before.commands)
    assert len(after.side_effects) < len(before.side_effects)


async def test_call_ids_that_come_again_do_not_block_a_cut():
    log = session()
    for _ in range(3):
        grow(log, 12, name="same")
    assert (await run(log, BUILT_IN)).tokens_after <= BUDGET.target + BUDGET.shares["task"]


async def test_words_said_between_a_call_and_its_result_part_no_pair():
    log = session()
    for n in range(30):
        log.assistant(call(f"s{n}"))
        log.user(f"steer {n}")
        log.result(f"s{n}", "line\n" * 200)
    shown = items_of(log)
    order = {id: n for n, (id, _) in enumerate(shown)}
    for n in range(30):
        a, b = order[f"e{len(log.events) - 3 * n}"], order[f"e{len(log.events) - 3 * n - 1}"]
        shown[a], shown[b] = shown[b], shown[a]
    boundary = await run(log, BUILT_IN, items=shown)
    start = int(boundary.tail_start.event[1:])
    tail = log.events[start - 1 :]
    called = {block["id"] for e in tail for block in e.data.get("blocks", ()) if "id" in block}
    assert {e.data["call_id"] for e in tail if e.kind == "tool_result"} <= called


async def test_the_record_gives_back_the_boundary_and_the_same_bytes():
    log = session()
    boundary = await run(log, BUILT_IN)
    again = boundary_from_json(json.loads(json.dumps(boundary_to_json(boundary))))
    assert again == boundary
    assert head_of(again, log) == head_of(boundary, log)
    assert boundary == await run(log, BUILT_IN)
    texts = [e.data["text"] for e in log.events if e.kind == "tool_result"]
    assert not any(t in json.dumps(boundary_to_json(boundary)) for t in texts)


async def test_rules_survive_any_number_of_compactions_byte_equal():
    log, boundaries = session(), []
    rules = fold_all(log.events).constraints
    for n in range(10):
        boundary = await run(log, BUILT_IN, boundaries=boundaries)
        boundaries.append(boundary)
        log.add("compaction", boundary=boundary_to_json(boundary))
        state = fold_all(log.events)
        told = parse_state_text(head_of(boundary, log)[0].text)
        assert told == state
        assert told.constraints == rules
        assert told.goal.text.startswith("Refactor the parser.")
        assert [e.call_id for e in told.side_effects] == ["d"]
        kept = [p.text for p in head_of(boundary, log) if p.kind == "kept_user"]
        assert any(RULE in words for words in kept)
        assert boundary.passages[0].covers.first == "e1"
        assert len(boundary.passages) <= 12
        grow(log, 40, name=f"round{n}")


async def test_passages_tile_everything_before_the_tail():
    log, boundaries = session(), []
    for n in range(16):
        boundary = await run(log, BUILT_IN, boundaries=boundaries)
        boundaries.append(boundary)
        grow(log, 40, name=f"round{n}")
    seqs = {e.id: e.seq for e in log.events}
    at = 0
    for passage in boundaries[-1].passages:
        skipped = log.events[at : seqs[passage.covers.first] - 1]
        assert all(e.kind == "tool_started" for e in skipped)
        at = seqs[passage.covers.last]
    assert seqs[boundaries[-1].tail_start.event] == at + 1


async def test_a_refused_proposal_is_asked_for_once_more_with_the_reason():
    plugin = Scripted(lambda r: whole(r, words="  "), whole)
    boundary = await run(session(), ("team", plugin), BUILT_IN)
    assert boundary.plugin == "team"
    assert [bool(r.attempt) for r in plugin.requests] == [False, True]
    assert "is empty" in plugin.requests[1].attempt


async def test_a_second_refusal_passes_the_question_on():
    bad = Scripted(*[lambda r: whole(r, words="Error: overloaded")] * 3)
    silent = Scripted(None)
    boundary = await run(session(), ("bad", bad), ("silent", silent), BUILT_IN)
    assert boundary.plugin == "compact_state"
    assert (len(bad.requests), len(silent.requests)) == (2, 1)


async def test_in_the_soft_zone_nothing_happens_without_a_sound_proposal():
    bad = Scripted(*[lambda r: whole(r, passages=())] * 2)
    log = session()
    events = list(log.events)
    refused = await run(log, ("bad", bad))
    assert isinstance(refused, Refused)
    assert "no passage" in refused.reason
    assert [plugin for plugin, _ in refused.refusals] == ["bad", "bad"]
    assert log.events == events


@pytest.mark.parametrize("trigger", ["hard", "too_long", "model_switch"])
async def test_in_the_hard_zone_there_is_always_an_answer(trigger):
    bad = Scripted(lambda r: 1 / 0)
    boundary = await run(session(), ("bad", bad), trigger=trigger)
    assert (boundary.verdict, boundary.degraded, boundary.plugin) == ("floor", True, "floor")
    assert "ZeroDivisionError" in boundary.repairs[0]
    assert boundary.tokens_after < boundary.tokens_before


async def test_a_cancelled_compaction_leaves_no_trace():
    class Sleeps(Scripted):
        async def compact(self, request):
            await asyncio.sleep(60)

    log = session()
    events = list(log.events)
    task = asyncio.create_task(run(log, ("slow", Sleeps())))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log.events == events


async def test_a_patch_is_merged_and_its_edges_are_kept():
    log = Log()
    log.user("硬性要求：1）单笔退款上限 40 元；2）最终报告用中文。")
    grow(log, 40)
    correction = log.add(
        "user", by="user", turn=9, text="更正：退款上限改为 25 元，之前的 40 作废。"
    )
    order = log.add(
        "tool_result", by="tool", turn=9, call_id="x", name="run", text="order PO-20931-K is held"
    )
    grow(log, 12, name="more")
    state = fold_all(log.events)
    old, new = "1）单笔退款上限 40 元", "更正：退款上限改为 25 元，之前的 40 作废。"
    patch = StatePatch(
        facts=(Fact(id="f", claim="PO-20931-K is held", evidence=(order.id,)),),
        superseded=(Supersession(old=old, new=new, event=correction.id),),
    )
    plugin = Scripted(lambda r: whole(r, "按顺序完成了前面的步骤。", patch=patch))
    boundary = await run(log, ("team", plugin), state=state)
    rules = {rule.text: rule.superseded_by for rule in boundary.state.constraints}
    assert rules[old] == correction.id
    assert rules[new] == ""
    assert boundary.state.conflicts == ()
    assert boundary.state.facts[0].claim == "PO-20931-K is held"


FIRST = EventRange(first="e1", last="e1")


def fact(claim, *evidence):
    return StatePatch(facts=(Fact(id="f", claim=claim, evidence=evidence),))


def tail_of(request):
    return request.view[-1].event.id


FAULTS = {
    "a gap": (
        lambda r: whole(r, passages=(Passage(text="x", covers=FIRST),)),
        "no passage covers event",
    ),
    "an overlap": (
        lambda r: whole(r, passages=(*whole(r).passages, Passage(text="x", covers=FIRST))),
        "overlap",
    ),
    "a late start": (
        lambda r: whole(r, passages=(Passage(text="x", covers=EventRange(first="e5", last="e9")),)),
        "must begin with event e1",
    ),
    "a parted pair": (lambda r: whole(r, cut=first_result(r)), "no legal cut"),
    "an unknown cut": (lambda r: replace_cut(whole(r), "nowhere"), "no legal cut"),
    "no evidence": (lambda r: whole(r, patch=fact("it works")), "cites no event"),
    "unknown evidence": (lambda r: whole(r, patch=fact("it works", "e999")), "no event 'e999'"),
    "an invented literal": (
        lambda r: whole(r, patch=fact("the limit is 7342", "e1")),
        "'7342' does not occur",
    ),
    "half an id": (
        lambda r: whole(r, patch=fact("the call is tep-0", "e4")),
        "'tep-0' does not occur",
    ),
    "an invented approval": (
        lambda r: whole(r, patch=fact("the release was approved", "e4")),
        "approval that no user gave",
    ),
    "a foreign loop": (
        lambda r: whole(r, patch=StatePatch(resolved_loops=("ask-1",))),
        "no open loop",
    ),
    "a misquoted rule": (
        lambda r: whole(
            r, patch=StatePatch(superseded=(Supersession(old="Never.", new="x", event="e1"),))
        ),
        "no rule in force reads",
    ),
    "words that nobody said": (
        lambda r: whole(
            r, patch=StatePatch(superseded=(Supersession(old=RULE, new="Touch it.", event="e1"),))
        ),
        "did not say",
    ),
    "a decision from nowhere": (
        lambda r: whole(
            r, patch=StatePatch(decisions=(Statement(id="d", text="use 8080", event="e1"),))
        ),
        "'8080' does not occur",
    ),
    "keep outside the span": (
        lambda r: whole(r, keep=(KeepEvent(event=tail_of(r)),)),
        "outside the span",
    ),
    "lines outside the span": (
        lambda r: whole(r, keep=(lines_of("elsewhere"),)),
        "outside the span",
    ),
    "more than the evidence share": (
        lambda r: whole(r, keep=tuple(KeepEvent(event=f"e{n}") for n in range(4, 60))),
        "its share is",
    ),
    "not smaller": (lambda r: whole(r, words="word " * 90_000), "not smaller"),
    "over the target": (lambda r: whole(r, words="word " * 9_000), "over the target"),
    "another language": (lambda r: whole(r, words="用户要求重构解析器。" * 40), "written in zh"),
    "an apology": (lambda r: whole(r, words="I'm sorry, I can't do that."), "like a failure"),
    "a level without sources": (
        lambda r: whole(r, passages=(level(whole(r).passages[0], 1),)),
        "must name what it was made from",
    ),
    "another type": (lambda r: {"cut": "e9"}, "gives a Compaction"),
    "a wrong field": (lambda r: whole(r, passages="text"), "gives a Compaction"),
}


def lines_of(output):
    return KeepLines(output_id=output, lines=LineRange(start_line=1, end_line=2))


def first_result(request):
    return next(i.event.id for i in request.view if i.event.kind == "tool_result")


def replace_cut(proposal, cut):
    from dataclasses import replace

    return replace(proposal, cut=cut)


def level(passage, number):
    from dataclasses import replace

    return replace(passage, level=number)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_planted_fault_is_refused_by_name(fault):
    propose, words = FAULTS[fault]
    refused = await run(session(), ("bad", Scripted(propose)))
    assert isinstance(refused, Refused)
    assert words in refused.refusals[0][1]


async def test_kept_parts_are_rendered_from_the_log():
    log = session()
    keep = (KeepEvent(event="e5"), lines_of("step-1"))
    boundary = await run(log, ("team", Scripted(lambda r: whole(r, keep=keep))))
    kept = [
        p
        for p in render_head(
            boundary, lookup_of(log), output_lines=lambda id, a, b: f"{id} from {a} to {b}"
        )
        if p.kind == "kept"
    ]
    assert log.events[4].data["text"] in kept[0].text
    assert "step-1 from 1 to 2" in kept[1].text


async def test_a_plugin_may_replace_its_earlier_passages():
    log = session()
    first = await run(log, ("team", Scripted(whole)))
    grow(log, 40, name="later")

    def condense(request):
        proposal = whole(request)
        ids = EventRange(first="e1", last=proposal.passages[0].covers.last)
        made_from = (first.passages[0].covers, proposal.passages[0].covers)
        both = Passage(text="All of it.", covers=ids, level=1, made_from=made_from)
        return whole(request, passages=(both,))

    second = await run(log, ("team", Scripted(condense)), boundaries=[first])
    assert [p.text for p in second.passages] == ["All of it."]


async def test_the_cut_may_be_left_to_the_host():
    plugin = Scripted(lambda r: replace_cut(whole(r), None))
    boundary = await run(session(), ("team", plugin))
    assert boundary.tail_start.event == plugin.requests[0].legal_cuts[-1].event


async def test_a_plugin_reads_any_range_again():
    seen = []

    def reads(request):
        seen.extend(request.events(EventRange(first="e2", last="e4")))
        return whole(request)

    await run(session(), ("team", Scripted(reads)))
    assert [e.id for e in seen] == ["e2", "e3", "e4"]


async def test_a_short_session_is_not_compacted_and_nobody_is_asked():
    log = Log()
    log.user("hello there")
    log.assistant(text("hi"))
    plugin = Scripted(whole)
    refused = await run(log, ("team", plugin), trigger="manual")
    assert isinstance(refused, Refused)
    assert "tokens stand before a step" in refused.reason
    assert plugin.requests == []


async def test_two_compactions_never_run_without_something_new_between():
    log = session()
    boundary = await run(log, BUILT_IN)
    again = await run(log, BUILT_IN, boundaries=[boundary], trigger="manual")
    assert "nothing was said or done" in again.reason
    with pytest.raises(PinnedOverflow, match="nothing was said or done"):
        await run(log, BUILT_IN, boundaries=[boundary], trigger="hard")


@pytest.mark.parametrize("trigger", ["hard", "soft"])
async def test_a_window_full_of_what_must_stay_says_what_is_large(trigger):
    plugin = Scripted(whole)
    asked = run(session(), ("team", plugin), trigger=trigger, ground_tokens=30_000)
    if trigger == "hard":
        with pytest.raises(PinnedOverflow, match=r"tools, system text, baseline.*30,000"):
            await asked
    else:
        assert "what must stay takes" in (await asked).reason
    assert plugin.requests == []


async def test_real_tokens_are_used_where_the_estimate_differs():
    log = session()
    estimate = sum(tokens for _, tokens in items_of(log)) + 3_000
    boundary = await run(log, BUILT_IN, used=int(estimate * 1.4), estimate=estimate)
    assert boundary.tokens_before == int(estimate * 1.4)
    assert boundary.tokens_after <= BUDGET.target + BUDGET.shares["task"]


async def test_the_latest_words_of_the_user_are_always_kept():
    log = session(0)
    log.user("Now do exactly this: rename every Foo to Bar.")
    for n in range(60):
        log.assistant(call(f"c{n}"))
        log.result(f"c{n}", "line\n" * 400)
    boundary = await run(log, BUILT_IN)
    kept = [p.text for p in head_of(boundary, log) if p.kind == "kept_user"]
    assert kept[-1] == "Now do exactly this: rename every Foo to Bar."


async def test_a_huge_message_is_kept_up_to_its_share():
    log = Log()
    log.user(f"{RULE}\n\n" + "\n\n".join(f"Paragraph {n} of a story." for n in range(9_000)))
    grow(log, 40)
    boundary = await run(log, BUILT_IN)
    part = next(p for p in head_of(boundary, log) if p.kind == "kept_user")
    assert part.text.startswith(RULE)
    assert "more characters: history event e1]" in part.text
    assert len(part.text) < 40_000


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 300)), min_size=3, max_size=40),
    open_call=st.booleans(),
)
def test_no_legal_cut_parts_a_call_from_its_result(sizes, open_call):
    from novacore.engine.cuts import calls_of, legal_cuts
    from novacore.types import ViewItem

    log = Log()
    for n, (calls, lines) in enumerate(sizes):
        turn = 1 + n // 5
        if not calls:
            log.add("user", by="user", turn=turn, text="words " * lines)
            continue
        blocks = [call(f"c{n}-{k}") for k in range(calls)]
        log.add("assistant", by="model", turn=turn, blocks=blocks)
        for k in range(calls - (open_call and n == len(sizes) - 1)):
            log.add("tool_result", turn=turn, call_id=f"c{n}-{k}", text="line\n" * lines)
    items = tuple(ViewItem(event=log.events[int(i[1:]) - 1], tokens=t) for i, t in items_of(log))
    for cut in legal_cuts(items, BUDGET):
        before = [e.event for e in items if e.event.seq < int(cut.event[1:])]
        after = [e.event for e in items if e.event.seq >= int(cut.event[1:])]
        called = {c for e in before for c in calls_of(e)}
        answered = {e.data["call_id"] for e in before if e.kind == "tool_result"}
        assert called == answered
        assert after[0].kind in ("user", "assistant")
        assert cut.tail_tokens == sum(i.tokens for i in items if i.event in after)


def test_between_is_inclusive():
    log = session(1)
    assert [e.id for e in between(log, "e1", "e2")] == ["e1", "e2"]
