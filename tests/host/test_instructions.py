"""Instructions of all plugins: least specific first, and never lost by a failure."""

from __future__ import annotations

import pytest

from host.plugin_folder import instructions_request
from novacore.engine.instructions import InstructionsKeeper
from novacore.engine.verify.instructions import verify_instructions
from novacore.errors import ContractError, RequiredPluginFailed
from novacore.types import Section


def section(id, level=1, **changes):
    fields = {"text": f"rules of {id}", "uri": f"policy:{id}", "version": "1", **changes}
    return Section(id=id, level=level, **fields)


class Scripted:
    """Gives one answer after the other; an exception is raised."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def inject_instructions(self, request):
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


async def collected(hosts, plugins, times=1, **config):
    host = hosts(**config)
    for name, plugin in plugins.items():
        await host.register(plugin, name)
    keeper = InstructionsKeeper(host)
    return [await keeper.collect(instructions_request(), turn=n) for n in range(times)]


def ids(result):
    return [placed.section.id for placed in result.sections]


async def test_levels_then_the_plugins_order(hosts):
    plugins = {
        "b": Scripted([section("near", 3), section("user", 0)]),
        "a": Scripted([section("policy", 0), section("repo", 1)]),
    }
    (result,) = await collected(hosts, plugins, order={"inject_instructions": ("b",)})
    assert ids(result) == ["user", "policy", "repo", "near"]
    assert [placed.plugin for placed in result.sections] == ["b", "a", "a", "b"]


async def test_a_rule_does_not_disappear_because_a_plugin_failed(hosts):
    plugin = Scripted([section("a")], ValueError("down"), ValueError("still down"), [section("b")])
    good, first, second, back = await collected(hosts, {"mine": plugin}, times=4)
    assert ids(good) == ids(first) == ids(second) == ["a"]
    assert good.sections[0].stale_since == ""
    stale = {result.sections[0].stale_since for result in (first, second)}
    assert len(stale) == 1
    assert stale.pop()
    assert any("stale since" in line for line in second.warnings)
    assert [fault.turn for fault in second.faults] == [2]
    assert (ids(back), back.warnings) == (["b"], ())


async def test_none_keeps_the_last_and_an_empty_answer_clears(hosts):
    plugin = Scripted([section("a")], None, ())
    first, kept, cleared = await collected(hosts, {"mine": plugin}, times=3)
    assert ids(first) == ids(kept) == ["a"]
    assert kept.sections[0].stale_since == ""
    assert ids(cleared) == []


async def test_required_with_nothing_good_refuses_and_otherwise_it_is_said(hosts):
    with pytest.raises(RequiredPluginFailed, match="mine"):
        await collected(hosts, {"mine": Scripted(ValueError("down"))}, required=("mine",))
    plugin = Scripted([section("a")], ValueError("down"))
    _, stale = await collected(hosts, {"mine": plugin}, times=2, required=("mine",))
    assert ids(stale) == ["a"]
    (result,) = await collected(hosts, {"mine": Scripted(ValueError("down"))})
    assert (result.warnings, result.faults[0].plugin) == ((), "mine"), "the host's notice tells it"


async def test_two_plugins_with_one_section(hosts):
    plugins = {"a": Scripted([section("same")]), "b": Scripted([section("same")])}
    (result,) = await collected(hosts, plugins)
    assert ids(result) == ["same"]
    assert "duplicate" in result.left_out[0].reason


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("text", "not a str"),
        ([{}], "not a Section"),
        ([section("a"), section("a")], "same id"),
        ([section("a", level=-1)], "level"),
        ([section("a", version="")], "lacks"),
        ([section("a", text=None)], "not a string"),
        ([section("a", text="x" * 200_001)], "too many"),
        ([section("a", uri="file:../outside.md")], "outside the roots"),
        ([section("a", uri="file:/etc/passwd")], "outside the roots"),
    ],
)
def test_the_contract(answer, words):
    with pytest.raises(ContractError, match=words):
        verify_instructions(answer, instructions_request())


def test_files_inside_the_roots_are_accepted():
    good = [section("a", uri="file:pkg/AGENTS.md"), section("b", uri="file:/w/AGENTS.md")]
    verify_instructions(good, instructions_request())
