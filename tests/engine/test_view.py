"""The view: a left fold that only grows inside an epoch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.events_kit import Log, call, text
from novacore.engine.rows import rows_of
from novacore.engine.view import View, messages_of
from novacore.types import Event, Reasoning, Text, ToolResult, ToolUse


def view_of(events, reasoning=lambda event, prefix: {}, rebuild=None):
    made = View(count=lambda words: len(words), reasoning=reasoning, rebuild=rebuild, seed="seed")
    for event in events:
        made.add(event)
    return made


def shapes(view):
    return [(m.role, [type(b).__name__ for b in m.blocks]) for m in messages_of(view.rows)]


def test_results_stand_in_call_order_before_any_text():
    log = Log()
    log.user("go")
    log.assistant(text("both"), call("a"), call("b"))
    log.result("b", "second")
    log.user("and hurry")
    log.result("a", "first")
    blocks = messages_of(view_of(log.events).rows)[-1].blocks
    assert blocks == (
        ToolResult(tool_use_id="a", text="first"),
        ToolResult(tool_use_id="b", text="second"),
        Text(text="and hurry"),
    )


def test_an_orphan_and_a_second_result_stay_in_the_log_only():
    log = Log()
    log.user("go")
    log.assistant(call("a"))
    log.result("ghost")
    log.result("a", "kept")
    log.result("a", "too late")
    texts = [r.block.text for r in view_of(log.events).rows if isinstance(r.block, ToolResult)]
    assert texts == ["kept"]


def test_open_calls_are_known_until_they_are_answered():
    log = Log()
    log.assistant(call("a"), call("b"))
    log.result("a")
    view = view_of(log.events)
    assert view.open_calls == ("b",)
    view.add(log.result("b"))
    assert view.open_calls == ()


def test_events_that_no_model_sees_add_no_row():
    log = Log()
    for kind in ("usage", "spill", "checkpoint", "turn_end", "a_kind_of_next_year"):
        log.add(kind, x=1)
    assert view_of(log.events).rows == ()


def test_reasoning_comes_back_at_its_place_and_only_behind_the_same_prefix():
    log = Log()
    log.user("think")
    kept = {}

    def reasoning(event, prefix):
        return kept.get(prefix, {})

    before = view_of(log.events).prefix
    kept[before] = {0: Reasoning(data={"type": "thinking", "thinking": "hm"})}
    log.assistant(text("so"), call("a"))
    assert shapes(view_of(log.events, reasoning))[-1] == (
        "assistant",
        ["Reasoning", "Text", "ToolUse"],
    )
    changed = [*with_other_question(), *log.events[1:]]
    assert shapes(view_of(changed, reasoning))[-1] == ("assistant", ["Text", "ToolUse"])


def with_other_question():
    log = Log()
    log.user("think again")
    return log.events


def test_a_refused_block_is_replaced_by_a_note_and_its_pair_stays():
    log = Log()
    log.user("go")
    log.assistant(call("a"))
    bad = log.result("a", "poison")
    log.add("fault", isolate=bad.id, reason="invalid image")
    row = view_of(log.events).rows[-1]
    assert isinstance(row.block, ToolResult)
    assert row.block.tool_use_id == "a"
    assert "poison" not in row.block.text
    assert "invalid image" in row.block.text


def test_a_boundary_replaces_the_view_by_head_and_tail():
    log = Log()
    log.user("old")
    log.add("update", scope="diff", text="an old difference")
    tail = log.user("recent")
    head_event = log.add("update", scope="notice", text="head")
    head = list(rows_of(head_event, len, {}))
    boundary = log.add("compaction")

    def rebuild(event):
        assert event is boundary
        return head, [log.events[1], tail]

    view = view_of(log.events, rebuild=rebuild)
    assert [r.block.text for r in view.rows] == ["head", "recent"]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.text(max_size=20)),
        st.tuples(st.just("calls"), st.integers(0, 3)),
        st.tuples(st.just("update"), st.text(max_size=20)),
    ),
    max_size=12,
)


@given(steps)
def test_every_complete_state_begins_with_the_one_before(script):
    log, view = Log(), view_of([])
    last: tuple = ()
    number = 0
    for kind, value in script:
        if kind == "user":
            view.add(log.user(value))
        elif kind == "update":
            view.add(log.add("update", scope="notice", text=value))
        else:
            ids = [f"c{number + i}" for i in range(value)]
            number += value
            view.add(log.assistant(text("x"), *(call(id) for id in ids)))
            for id in reversed(ids):
                view.add(log.result(id))
        blocks = tuple((row.role, row.block) for row in view.rows)
        assert blocks[: len(last)] == last
        last = blocks


@given(steps)
def test_the_prefix_hash_is_a_function_of_the_rows(script):
    log = Log()
    for kind, value in script:
        if kind == "user":
            log.user(value)
        elif kind == "update":
            log.add("update", scope="notice", text=value)
        else:
            log.assistant(text("x"))
    assert view_of(log.events).prefix == view_of(log.events).prefix
    longer = view_of(log.events)
    longer.add(log.user("more"))
    assert longer.prefix != view_of(log.events[:-1]).prefix


def test_tool_calls_keep_their_provider_ids():
    log = Log()
    log.assistant(call("../../etc/x"))
    use = view_of(log.events).rows[0].block
    assert isinstance(use, ToolUse)
    assert use.id == "../../etc/x"


def test_reasoning_behind_a_refused_block_goes_with_it():
    log, kept = Log(), {}

    def thinking(event, prefix):
        return kept.get(event.id, {})

    view = view_of([], thinking)

    def answer(*blocks):
        event = Event(
            seq=0, id=f"a{len(kept)}", ts="", kind="assistant", by="model", turn=1,
            data={"blocks": list(blocks)},
        )  # fmt: skip
        kept[event.id] = {0: Reasoning(data={"type": "thinking", "thinking": event.id})}
        view.add(event)

    view.add(log.user("go"))
    answer(call("a"))
    bad = log.result("a", "poison")
    view.add(bad)
    answer(text("so"))
    view.add(log.add("fault", isolate=bad.id, reason="invalid image"))
    left = [row.block.data["thinking"] for row in view.rows if isinstance(row.block, Reasoning)]
    assert left == ["a0"]
    assert view.tokens == sum(row.fragment.tokens for row in view.rows)


@given(steps)
def test_tokens_are_the_sum_of_the_rows(script):
    log, view = Log(), view_of([])
    for number, (kind, value) in enumerate(script):
        if kind == "calls":
            ids = [f"c{number}-{i}" for i in range(value)]
            view.add(log.assistant(text("x"), *(call(id) for id in ids)))
            for id in ids[1:]:
                view.add(log.result(id))
        else:
            view.add(log.user(value))
        assert view.tokens == sum(row.fragment.tokens for row in view.rows)
