"""A hook's docstring is its contract: its ``Merge:`` and deadline are what the host really does."""

from __future__ import annotations

import inspect
import re
from contextlib import asynccontextmanager

import pytest

from engine import compaction_kit
from host.plugin_folder import instructions_request, make_host, recall_request, tools_request
from novacore.engine.instructions import InstructionsKeeper
from novacore.engine.recall import RecallRun
from novacore.engine.select_tools import select_tools
from novacore.hookspecs import HOOK_NAMES, Hooks
from novacore.host.types import DEADLINES
from novacore.store.artifacts import ArtifactStore
from novacore.tokens import estimate
from novacore.types import (
    LineRange,
    Recalled,
    Section,
    SpillItem,
    SpillPlan,
    ToolChoice,
    ToolInfo,
)
from spill import door


class Giving(Hooks):
    """Answers every hook by what it was made with: the answer to this request."""

    def __init__(self, answer):
        self._answer = answer

    def spill(self, request):
        return self._answer

    def recall(self, request):
        return self._answer

    def inject_instructions(self, request):
        return self._answer

    def select_tools(self, request):
        return self._answer


@asynccontextmanager
async def host_of(hook, **answers):
    """A host whose plugins answer so, in this order."""
    host = make_host(order={hook: list(answers)})
    for name, answer in answers.items():
        await host.register(Giving(answer), name)
    yield host
    await host.aclose()


def plan(*ids):
    lines = (LineRange(start_line=1, end_line=2),)
    return SpillPlan(items=tuple(SpillItem(output_id=id, ranges=lines) for id in ids))


async def spill_merges(tmp_path):
    outputs = [door.output(id, "line of words\n" * 2_000) for id in "xyz"]
    async with host_of("spill", b=plan("y", "z"), a=plan("x", "y")) as host:
        settled = await door.settled(outputs, ArtifactStore(tmp_path / "kept"), host=host)
    assert {p.id: p.spill["plugin"] for p in settled.pieces} == {"x": "a", "y": "b", "z": "b"}


async def compact_merges(tmp_path):
    kit = compaction_kit
    unsound = kit.Scripted(*[lambda r: kit.whole(r, passages=())] * 2)
    sound, unasked = kit.Scripted(lambda r: kit.whole(r, "mine")), kit.Scripted()
    plugins = [("unsound", unsound), ("sound", sound), ("unasked", unasked), kit.BUILT_IN]
    made = await kit.run(kit.session(), *plugins)
    assert (made.plugin, made.passages[0].text) == ("sound", "mine")
    assert (len(unsound.requests), unasked.requests) == (2, [])
    host = make_host()
    for name, plugin in (kit.BUILT_IN, ("zz", unasked)):
        await host.register(plugin, name)
    await host.aclose()
    assert {s.name: s.order["compact"] for s in host.statuses()} == {"zz": 1, "compact_state": 2}


async def recall_merges(tmp_path):
    def item(key, score, text):
        return Recalled(key=key, text=text, uri=f"mem:{key}", version=key, score=score)

    kept, same = item("kept", 0.4, "one"), item("same", 0.3, "one")
    first, second = [kept, item("secret", 0.9, "s")], [same, item("top", 0.8, "t")]
    async with host_of("recall", a=first, b=second) as host:
        run = RecallRun(
            host,
            recall_request(limit=3),
            count=estimate,
            permitted=lambda plugin, found: found.key != "secret",
        )
        result = await run.ready(5)
    assert [found.item.key for found in result.items] == ["top", "kept"]
    told = {out.id: out.reason for out in result.left_out}
    assert told == {"a:secret": "denied", "b:same": "duplicate"}
    large = {name: [item(name, 0.5, f"{name} word " * 300)] for name in "xy"}
    most = estimate(large["x"][0].text) + 10
    async with host_of("recall", **large) as host:
        result = await RecallRun(host, recall_request(max_tokens=most), count=estimate).ready(5)
    assert [out.reason.partition(":")[0] for out in result.left_out] == ["budget"]


async def instructions_merge(tmp_path):
    def rules(id, level):
        return Section(id=id, text=id, uri=f"policy:{id}", version="1", level=level)

    both = {"a": [rules("near", 3), rules("user", 0)], "b": [rules("root", 1)]}
    async with host_of("inject_instructions", **both) as host:
        told = await InstructionsKeeper(host).collect(instructions_request())
    assert [placed.section.id for placed in told.sections] == ["user", "root", "near"]


async def tools_merge(tmp_path):
    tools = [ToolInfo(name=name, tokens=10, server="srv") for name in "xyz"]
    mine, other = ToolChoice(keep=("x", "y")), ToolChoice(hide=("x",), defer=("y", "z"))
    async with host_of("select_tools", a=mine, b=other) as host:
        chosen = await select_tools(host, tools_request(*tools))
    assert (chosen.offered, chosen.deferred) == (("y", "z"), ("z",))


MERGES = {
    "spill": ("the first plan per output, in the configured order.", spill_merges),
    "compact": (
        "the first proposal that the host accepts; the deterministic built-in is last.",
        compact_merges,
    ),
    "recall": (
        "all; filtered by permission, ranked, deduplicated, budgeted.",
        recall_merges,
    ),
    "inject_instructions": ("all, least specific first.", instructions_merge),
    "select_tools": ("hide over keep over defer.", tools_merge),
}


@pytest.mark.parametrize("hook", HOOK_NAMES)
async def test_the_docstring_ends_with_the_merge_that_the_host_carries_out(hook, tmp_path):
    words, carried_out = MERGES[hook]
    told = inspect.getdoc(getattr(Hooks, hook)).split("\n\n")
    assert told[-1] == f"Merge: {words}"
    await carried_out(tmp_path)


@pytest.mark.parametrize("hook", HOOK_NAMES)
def test_the_docstring_tells_the_deadline_of_the_host(hook):
    told = inspect.getdoc(getattr(Hooks, hook))
    assert re.findall(r"Deadline (\d+) s\.", told) == [f"{DEADLINES[hook]:g}"]
