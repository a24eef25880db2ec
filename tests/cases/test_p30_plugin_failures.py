"""P30: third-party plugins that fail, hang, disagree or lie; here at the door of the host."""

from __future__ import annotations

import json
import time

import pytest

from host.plugin_folder import (
    PluginFolder,
    asked,
    compact_request,
    eventually,
    make_host,
    recall_request,
    spill_request,
    tools_request,
)
from novacore.engine.recall import RecallRun
from novacore.engine.select_tools import select_tools
from novacore.errors import ContractError
from novacore.host import read_faults
from novacore.tokens import estimate
from novacore.types import Compaction, ToolInfo

DEADLINES = {"recall": 0.8, "spill": 0.8, "compact": 0.8, "select_tools": 0.8}
"""Short ones; the plugin that the case lets sleep 60 s sleeps as long here."""

# One a file of the case, in its order; each does what the case's `impl` says.
CODE = {
    "10_b.py": """
        class P(Hooks):
            def recall(self, request):
                raise ValueError("b is broken")
            def spill(self, request):
                return SpillPlan(items=(SpillItem(output_id="call", ranges=()),), reason="b")
    """,
    "00_a.py": """
        class P(Hooks):
            def recall(self, request):
                return [Recalled(key=k, text=f"fragment {k}", uri=f"mem:{k}") for k in "12"]
            def select_tools(self, request):
                return ToolChoice(keep=("format_disk",), hide=("read",))
    """,
    "20_c.py": """
        class P(Hooks):
            def recall(self, request):
                return "a string instead of a list"
            def compact(self, request):
                return [{"role": "user", "content": [{"type": "tool_result", "id": "orphan"}]}]
    """,
    "30_d.py": """
        class P(Hooks):
            def recall(self, request):
                time.sleep(60)
            def spill(self, request):
                request.outputs[0].call["command"] = "changed in place"
                object.__setattr__(request.outputs[0], "text", "")
    """,
    "40_e.py": """
        class P(Hooks):
            def recal(self, request):
                return ()
            def spill(self, reqest):
                return None
    """,
    "50_f.py": """
        class P(Hooks):
            def recall(self, request):
                return [Recalled(key="f", text="of the second a", uri="mem:f")]
    """,
    "60_g.py": """
        class P(Hooks):
            api = "99"
            def recall(self, request):
                return ()
    """,
    "70_h.py": "raise SystemExit(1)",
    "80_i.py": """
        class P(Hooks):
            def compact(self, request):
                return None
    """,
    "90_j.py": """
        class P(Hooks):
            async def recall(self, request):
                end = time.monotonic() + 2
                while time.monotonic() < end:
                    try:
                        await asyncio.sleep(0.1)
                    except asyncio.CancelledError:
                        pass
                return [Recalled(key="j", text="too late", uri="mem:j")]
    """,
    "95_k.py": """
        class P(Hooks):
            def recall(self, request):
                return [Recalled(key="k", text="word " * 400_000, uri="mem:k")]
    """,
}
BUILT_IN = """
    class P(Hooks):
        def compact(self, request):
            return Compaction(note="deterministic")
"""


@pytest.fixture
def case(shared):
    return json.loads(shared("cases", "agent", "P30_plugin_failures", "input.json").read_text())


@pytest.fixture
def installed(case, tmp_path, monkeypatch):
    """The case's plugins, installed in the order in which its folder lists them."""
    folder = PluginFolder(tmp_path / "site", monkeypatch)
    for plugin in case["plugins"]:
        if plugin["file"] in CODE:
            dist = plugin["file"].removesuffix(".py").replace("_", "-")
            folder.add(plugin["name"], CODE[plugin["file"]], dist=f"case-{dist}")
    folder.add("z_built_in", BUILT_IN)
    return folder


@pytest.fixture
async def host(installed, tmp_path):
    host = make_host(deadlines=DEADLINES, faults_file=tmp_path / "faults.jsonl")
    await host.load(installed.points())
    yield host
    await host.aclose()


async def recall(host, turn):
    """One turn's recall, waited for to the end."""
    request = recall_request(text=f"question {turn}")
    run = RecallRun(host, request, count=estimate, turn=turn)
    return await run.ready(30)


def status(host, name, source=""):
    return next(s for s in host.statuses() if s.name == name and source in s.source)


async def test_f1_every_turn_has_both_fragments_of_a(host, case):
    for turn in range(case["turns"]):
        result = await recall(host, turn)
        texts = [(found.plugin, found.item.text) for found in result.items]
        assert texts == [("a", "fragment 1"), ("a", "fragment 2")]


async def test_f2_order_is_configuration_then_name_whatever_the_file_system_says(installed):
    for points in (installed.points(), installed.points()[::-1]):
        host = make_host(deadlines=DEADLINES, order={"recall": ("k", "c")})
        await host.load(points)
        pending = host.start("recall", recall_request(), print)
        assert [one.plugin for one in pending] == ["k", "c", "a", "b", "d", "j"]
        await host.aclose()


async def test_f3_faults_are_recorded_said_once_and_switch_the_hook_off(host, case, tmp_path):
    for turn in range(case["turns"] + 1):
        result = await recall(host, turn)
    reasons = {answer.plugin: answer.fault.reason for answer in result.answers if answer.fault}
    assert reasons == {"b": "off", "c": "off", "k": "off", "d": "hung", "j": "hung"}
    file = tmp_path / "faults.jsonl"
    await eventually(lambda: "late" in {fault.reason for fault in read_faults(file)})
    seen = [(f.plugin, f.turn, f.reason) for f in read_faults(file) if f.hook == "recall"]
    for name, reason in (("b", "raised"), ("c", "refused"), ("k", "refused")):
        assert [row for row in seen if row[0] == name] == [(name, t, reason) for t in range(3)]
    assert [row for row in seen if row[0] == "d"] == [("d", 0, "deadline")]
    assert [row for row in seen if row[0] == "j"] == [("j", 0, "deadline"), ("j", 0, "late")]
    lines = [line for line in host.drain_notices() if " recall " in line]
    said = [name for name in "bcdjk" if any(f"plugin {name}: recall" in line for line in lines)]
    assert said == list("bcdjk")
    assert len(lines) == len(set(lines)) == 5 + 3
    await recall(host, 4)
    assert host.drain_notices() == ()


async def test_f4_the_wait_is_bounded_and_a_change_in_place_is_seen_by_nobody(host):
    begun = time.monotonic()
    run = RecallRun(host, recall_request(), count=estimate)
    await run.ready(0.05)
    assert time.monotonic() - begun < 5
    request = spill_request()
    plans = [answer.value for answer in await asked(host, "spill", request) if answer.value]
    assert [plan.reason for plan in plans] == ["b"]
    assert request == spill_request()
    await run.ready(30)
    assert time.monotonic() - begun < 20


def a_compaction(value):
    if type(value) is not Compaction:
        raise ContractError(f"a Compaction is needed, not a {type(value).__name__}")


async def test_f5_a_broken_or_empty_compaction_falls_to_the_next(host):
    taken = None
    async for answer in host.ask("compact", compact_request(), a_compaction, turn=1):
        if answer.value is not None:
            taken = answer
            break
    assert (taken.plugin, taken.value.note) == ("z_built_in", "deterministic")
    assert taken.instead_of == ("c",)
    (line,) = [line for line in host.drain_notices() if " compact " in line]
    assert "plugin c" in line
    assert "z_built_in answered instead" in line


async def test_f6_protected_tools_stay_and_invented_ones_are_reported(host):
    tools = (ToolInfo(name="read", tokens=100, required=True), ToolInfo(name="x", tokens=10))
    chosen = await select_tools(host, tools_request(*tools), turn=1)
    assert chosen.offered == ("read", "x")
    (fault,) = chosen.faults
    assert (fault.plugin, fault.turn) == ("a", 1)
    assert "read" in fault.detail
    assert "format_disk" in fault.detail


async def test_f7_a_misspelt_hook_and_argument_are_reported_with_the_right_word(host):
    assert "`recal`" in status(host, "e").detail
    assert "`recall`" in status(host, "e").detail
    assert "rename `reqest` to `request`" in status(host, "e").detail
    (line,) = [line for line in host.drain_notices() if "plugin e:" in line]
    assert "`recall`" in line
    assert "`request`" in line


async def test_f8_the_second_a_the_wrong_version_and_the_exit_are_refused_with_reasons(host):
    second = status(host, "a", "case-50-f")
    assert (status(host, "a", "case-00-a").state, second.state) == ("active", "failed")
    assert "case-00-a 1.0" in second.detail
    assert "case-50-f 1.0" in second.detail
    g, h = status(host, "g"), status(host, "h")
    assert (g.state, "99" in g.detail) == ("incompatible", True)
    assert (h.state, "SystemExit: 1" in h.detail) == ("failed", True)
    active = [s.name for s in host.statuses() if s.state == "active"]
    assert active == [*"abcdijk", "z_built_in"]
