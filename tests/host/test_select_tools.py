"""The tools of an epoch: hide over keep over defer, and never over their share."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.plugin_folder import make_host, tools_request
from novacore.engine.select_tools import ceiling, over_ceiling, select_tools
from novacore.engine.verify.tools import verify_tools
from novacore.errors import ContractError
from novacore.types import ToolChoice, ToolInfo
from novacore_plugins.tools_default import ToolsDefault

READ = ToolInfo(name="read", tokens=100, required=True)
PLAN = ToolInfo(name="plan", tokens=50)


def external(name, tokens=100, calls=0):
    return ToolInfo(name=name, tokens=tokens, server="srv", calls=calls)


def choosing(**choice):
    class Mine:
        def select_tools(self, request):
            return ToolChoice(**choice)

    return Mine


async def chosen(host, request, **plugins):
    for name, plugin in plugins.items():
        await host.register(plugin, name)
    return await select_tools(host, request)


async def test_hide_beats_keep_beats_defer_and_silence_keeps(hosts):
    request = tools_request(READ, *(external(name) for name in "wxyz"))
    result = await chosen(
        hosts(),
        request,
        a=choosing(keep=("w", "x"), defer=("y",), reason="mine"),
        b=choosing(hide=("w",), defer=("x",), reason="too dear"),
    )
    assert result.offered == ("read", "x", "y", "z")
    assert result.deferred == ("y",)
    assert [(out.id, out.reason) for out in result.left_out] == [
        ("tool:w", "hidden by b: too dear")
    ]


async def test_a_choice_that_lies_is_refused_whole_and_both_lies_are_told(hosts):
    host = hosts()
    request = tools_request(READ, external("x"))
    result = await chosen(host, request, a=choosing(hide=("read", "x"), keep=("rm_rf",)))
    assert result.offered == ("read", "x")
    (fault,) = result.faults
    assert "no such tool: rm_rf" in fault.detail
    assert "required, and cannot be taken away: read" in fault.detail


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (("read",), "not a tuple"),
        (ToolChoice(keep="read"), "tuple of names"),
        (ToolChoice(keep=(1,)), "tuple of names"),
        (ToolChoice(keep=("read", "read")), "twice"),
        (ToolChoice(defer=("read",)), "required"),
    ],
)
def test_the_contract(answer, words):
    with pytest.raises(ContractError, match=words):
        verify_tools(answer, tools_request(READ))


async def test_external_tools_over_the_ceiling_go_even_without_a_plugin(hosts):
    request = tools_request(READ, PLAN, external("big", 900), external("used", 900, 5), budget=1100)
    result = await chosen(hosts(), request)
    assert result.offered == ("read", "plan", "used")
    assert "budget" in result.left_out[0].reason


TOOLS = st.lists(
    st.builds(
        ToolInfo,
        name=st.text("abcdef", min_size=1, max_size=4),
        tokens=st.integers(1, 500),
        server=st.sampled_from(("", "srv", "other")),
        required=st.booleans(),
        calls=st.integers(0, 3),
        found=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda tool: tool.name,
)


@given(TOOLS, st.integers(0, 2_000))
def test_built_ins_stay_and_the_rest_fits(tools, budget):
    most = ceiling(budget, tools)
    gone = over_ceiling(tools, most)
    stays = {tool.name for tool in tools if tool.required or not tool.server}
    assert not stays & {tool.name for tool in gone}
    assert sum(tool.tokens for tool in tools) - sum(tool.tokens for tool in gone) <= most


@settings(max_examples=30, deadline=None)
@given(TOOLS, st.integers(0, 2_000), st.randoms())
async def test_the_default_plugin_fits_by_itself_and_knows_no_order(tools, budget, random):
    request = tools_request(*tools, budget=budget) if tools else tools_request(budget=budget)
    choice = ToolsDefault().select_tools(request)
    verify_tools(choice, request)
    shuffled = list(request.tools)
    random.shuffle(shuffled)
    assert ToolsDefault().select_tools(tools_request(*shuffled, budget=budget)) == choice
    host = make_host()
    try:
        result = await chosen(host, request, tools_default=ToolsDefault)
        reasons = {out.reason.partition(":")[0] for out in result.left_out}
        assert reasons <= {"hidden by tools_default"}
        assert result.faults == ()
    finally:
        await host.aclose()
