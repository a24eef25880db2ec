import asyncio
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from novacore.tools.plan import PlanTool
from novacore.types import PlanItem, ToolCall


async def set_plan(context, *items):
    return await PlanTool().run(
        ToolCall(id="c", name="plan", input={"items": list(items)}), context
    )


async def test_the_whole_list_is_replaced_and_ids_stay(context):
    first = await set_plan(
        context, {"text": "a", "status": "doing"}, {"text": "b", "status": "open"}
    )
    assert first.plan == (PlanItem(id="p1", text="a", status="doing"), PlanItem(id="p2", text="b"))
    assert first.text == "[>] p1 a\n[ ] p2 b"
    second = await set_plan(
        context,
        {"text": "b", "status": "doing"},
        {"id": "p1", "text": "a, reworded", "status": "done"},
        {"text": "c", "status": "open"},
    )
    assert [item.id for item in second.plan] == ["p2", "p1", "p3"]
    assert context.plan == second.plan
    third = await set_plan(context, {"text": "d", "status": "open"})
    assert third.plan[0].id not in {"p1", "p2", "p3"}


async def test_an_empty_plan_and_a_doubled_id(context):
    await set_plan(context, {"text": "a", "status": "open"})
    twice = await set_plan(
        context,
        {"id": "x", "text": "a", "status": "open"},
        {"id": "x", "text": "b", "status": "open"},
    )
    assert (twice.status, twice.plan, len(context.plan)) == ("failed", None, 1)
    empty = await set_plan(context)
    assert (empty.plan, context.plan) == ((), ())


ITEMS = st.lists(
    st.fixed_dictionaries(
        {"text": st.sampled_from(["a", "b", "c"]), "status": st.sampled_from(["open", "done"])},
        optional={"id": st.sampled_from(["", "p1", "p2", "mine"])},
    ),
    max_size=6,
)


@given(before=ITEMS, after=ITEMS)
def test_ids_are_unique_whatever_is_given(before, after):
    context = SimpleNamespace(plan=())

    async def both():
        await set_plan(context, *before)
        return await set_plan(context, *after)

    outcome = asyncio.run(both())
    if outcome.plan is not None:
        ids = [item.id for item in outcome.plan]
        assert all(ids)
        assert len(set(ids)) == len(ids)
        assert [item.text for item in outcome.plan] == [item["text"] for item in after]
