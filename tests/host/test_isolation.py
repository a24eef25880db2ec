"""No plugin breaks, blocks, changes or outlives a call."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from host.plugin_folder import REQUESTS, asked, compact_request, recall_request, spill_request
from novacore.errors import ContractError, RequiredPluginFailed
from novacore.hookspecs import HOOK_NAMES

DEADLINES = dict.fromkeys(HOOK_NAMES, 0.6)


def plugin(body, *hooks, asynchronous=False):
    """A plugin class whose hooks all do the same thing."""
    namespace = {"asyncio": asyncio, "time": time}
    head = "async def" if asynchronous else "def"
    exec(f"{head} answer(self, request):\n    {body}", namespace)
    return type("Made", (), dict.fromkeys(hooks or HOOK_NAMES, namespace["answer"]))


RAISES = plugin("raise ValueError('boom')")
SLEEPS = plugin("time.sleep(600)")
SWALLOWS = plugin(
    "try: await asyncio.sleep(600)\n    except asyncio.CancelledError: await asyncio.sleep(0.3)\n"
    "    return 'late'",
    asynchronous=True,
)
NONSENSE = plugin("return 'nonsense'")
EXITS = plugin("raise SystemExit(7)")
GOOD = plugin("return ('good',)")


async def until(host, reason):
    """The host's faults, once there is one for this reason."""
    faults = list(host.drain_faults())
    async with asyncio.timeout(20):
        while reason not in {fault.reason for fault in faults}:
            await asyncio.sleep(0.02)
            faults += host.drain_faults()
    return faults


def only_tuples(value):
    if not isinstance(value, tuple):
        raise ContractError("not a tuple")


@pytest.mark.parametrize(
    ("hook", "at_once"), [*((hook, False) for hook in HOOK_NAMES), ("recall", True)]
)
async def test_five_bad_plugins_cost_five_faults_and_no_answer(hosts, hook, at_once):
    host = hosts(deadlines=DEADLINES)
    bad = {"raises": RAISES, "sleeps": SLEEPS, "swallows": SWALLOWS, "nonsense": NONSENSE}
    for name, cls in {**bad, "exits": EXITS, "zgood": GOOD}.items():
        await host.register(cls, name)
    begun = time.monotonic()
    request = REQUESTS[hook]()
    if at_once:
        pending = host.start(hook, request, only_tuples, turn=4)
        answers = [await one.answer() for one in pending]
    else:
        answers = await asked(host, hook, request, only_tuples, turn=4)
    assert time.monotonic() - begun < 5
    assert {a.plugin: a.fault.reason for a in answers if a.fault} == {
        "raises": "raised",
        "sleeps": "deadline",
        "swallows": "deadline",
        "nonsense": "refused",
        "exits": "raised",
    }
    assert [a.value for a in answers if a.value is not None] == [("good",)]
    faults = await until(host, "late")
    assert {(f.plugin, f.hook, f.session, f.turn) for f in faults} == {
        (name, hook, "s1", 4) for name in (*bad, "exits")
    }
    assert [f.reason for f in faults if f.plugin == "swallows"] == ["deadline", "late"]
    states = {s.name: s.state for s in host.statuses()}
    assert states["sleeps"] == states["swallows"] == "hung"
    assert states["zgood"] == states["raises"] == "active"


async def test_who_answered_instead_is_in_the_answer_and_the_notice(hosts):
    host = hosts()
    await host.register(RAISES, "first")
    await host.register(GOOD, "second")
    answers = await asked(host, "compact")
    assert answers[-1].instead_of == ("first",)
    assert host.drain_notices() == (
        "plugin first: compact failed (ValueError: boom); second answered instead",
    )


async def test_one_plugin_can_be_asked_again_alone(hosts):
    host = hosts(required=("first",))
    await host.register(RAISES, "first")
    await host.register(GOOD, "second")
    assert [a.plugin for a in await asked(host, "compact", only="second")] == ["second"]
    answers = await asked(host, "compact", refuse=False)
    assert [a.fatal for a in answers] == [True, False]


async def test_each_kind_of_failure_is_said_once(hosts):
    host = hosts(deadlines=DEADLINES)
    await host.register(RAISES, "fails")
    await host.register(SLEEPS, "hangs")
    for _ in range(5):
        await asked(host, "spill")
    lines = host.drain_notices()
    assert len(lines) == len(set(lines)) == 3
    assert "three faults in a row" in lines[2]
    await asked(host, "recall")
    (fails, hangs) = host.drain_notices()
    assert "fails: recall failed" in fails
    assert "hangs: recall is not asked" in hangs


async def test_three_faults_in_a_row_open_the_breaker_for_that_hook_and_session(hosts):
    asked_for = []

    class Mine:
        def spill(self, request):
            asked_for.append(request.session.id)
            raise ValueError

        def compact(self, request):
            return "still asked"

    host = hosts()
    await host.register(Mine, "mine")
    for _ in range(5):
        (answer,) = await asked(host, "spill")
    assert answer.fault.reason == "off"
    assert len(asked_for) == 3
    assert "spill" in host.statuses()[0].detail
    await asked(host, "spill", spill_request("s2"))
    assert asked_for[3:] == ["s2"]
    assert [a.value for a in await asked(host, "compact")] == ["still asked"]


async def test_an_answer_in_between_closes_the_count(hosts):
    calls = iter([ValueError(), ValueError(), None, ValueError(), ValueError(), "here"])

    class Mine:
        def spill(self, request):
            if isinstance(answer := next(calls), Exception):
                raise answer
            return answer

    host = hosts()
    await host.register(Mine, "mine")
    answers = [(await asked(host, "spill"))[0] for _ in range(6)]
    assert answers[-1].value == "here"


async def test_a_hang_ends_the_plugin_for_this_session_and_later_ones_that_find_it_stuck(hosts):
    class Mine:
        def spill(self, request):
            time.sleep(600)

        def recall(self, request):
            return ("never",)

    host = hosts(deadlines=DEADLINES)
    await host.register(Mine, "mine")
    await asked(host, "spill")
    for session in ("s1", "s2"):
        begun = time.monotonic()
        (answer,) = await asked(host, "recall", recall_request(session))
        assert answer.fault.reason == "hung"
        assert time.monotonic() - begun < 0.3


async def test_a_call_that_waits_for_the_plugins_own_other_call_is_busy_not_hung(hosts):
    class Mine:
        def recall(self, request):
            time.sleep(0.6)
            return ("slow",)

        def spill(self, request):
            return "quick"

    host = hosts(deadlines={"recall": 5.0, "spill": 0.1})
    await host.register(Mine, "mine")
    (pending,) = host.start("recall", recall_request(), accept_all)
    await asyncio.sleep(0.1)
    (answer,) = await asked(host, "spill")
    assert answer.fault.reason == "busy"
    assert "recall" in answer.fault.detail
    assert (await pending.answer()).value == ("slow",)
    assert (await asked(host, "spill"))[0].value == "quick"


def accept_all(value):
    """Nothing is wrong with it."""


async def test_what_one_plugin_does_to_a_request_no_other_sees(hosts):
    class Vandal:
        def spill(self, request):
            request.outputs[0].call["a"].append(2)
            object.__setattr__(request.outputs[0], "text", "changed")
            object.__setattr__(request, "token_budget", -1)

    class Witness:
        def spill(self, request):
            return (request.outputs[0].text, dict(request.outputs[0].call), request.token_budget)

    host, request = hosts(), spill_request()
    await host.register(Vandal, "a")
    await host.register(Witness, "b")
    _, answer = await asked(host, "spill", request)
    assert answer.value == ("lines\n" * 10, {"a": (1,)} | {"a": [1]}, 10)
    assert request == spill_request()


async def test_an_answer_cannot_be_changed_after_it_was_checked(hosts):
    class Mine:
        def spill(self, request):
            self.kept = ["checked"]
            return self.kept

        def compact(self, request):
            self.kept.append("smuggled in")

    host = hosts()
    await host.register(Mine, "mine")
    (answer,) = await asked(host, "spill")
    await asked(host, "compact")
    assert answer.value == ("checked",)


async def test_a_request_can_be_sent_on_as_json(hosts):
    class Mine:
        def spill(self, request):
            return json.dumps(request.outputs[0].call)

    host = hosts()
    await host.register(Mine, "mine")
    assert (await asked(host, "spill"))[0].value == '{"a": [1]}'


async def test_lent_functions_run_on_the_hosts_loop_until_the_deadline(hosts):
    home = asyncio.get_running_loop()
    seen = []

    async def ask(prompt, _schema):
        seen.append((prompt, asyncio.get_running_loop() is home))
        return {"said": [prompt]}

    class Mine:
        async def compact(self, request):
            answer = await request.ask("one", {})
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                await request.ask("two", {})
            return answer

        def recall(self, request):
            return "not asked"

    class Quick(Mine):
        async def compact(self, request):
            return (await request.ask("one", {}))["said"]

    host = hosts(deadlines={"compact": 0.4})
    await host.register(Quick, "a_quick")
    await host.register(Mine, "mine")
    quick, late = await asked(host, "compact", compact_request(ask=ask))
    assert quick.value == ("one",)
    assert late.fault.reason == "deadline"
    await until(host, "late")
    assert seen == [("one", True), ("one", True)]


async def test_the_plugin_is_told_the_deadline_that_holds(hosts):
    class Mine:
        def recall(self, request):
            return (request.deadline,)

    host = hosts(deadlines={"recall": 3.5})
    await host.register(Mine, "mine")
    assert (await asked(host, "recall"))[0].value == (3.5,)


async def test_a_cancelled_turn_is_no_fault(hosts):
    host = hosts()
    await host.register(plugin("await asyncio.sleep(600)", asynchronous=True), "mine")
    turn = asyncio.ensure_future(asked(host, "compact"))
    await asyncio.sleep(0.05)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    await asyncio.sleep(0.05)
    assert host.drain_faults() == ()
    assert host.drain_notices() == ()


@pytest.mark.parametrize("error", [asyncio.CancelledError, StopIteration, GeneratorExit])
async def test_errors_that_mean_something_to_a_loop_are_faults_like_others(hosts, error):
    class Mine:
        async def spill(self, request):
            raise error("of the plugin's own")

        def compact(self, request):
            raise error("of the plugin's own")

    host = hosts()
    await host.register(Mine, "mine")
    for hook in ("spill", "compact"):
        (answer,) = await asked(host, hook)
        assert answer.fault.reason == "raised"


async def test_a_task_of_the_plugins_own_that_exits_leaves_the_plugin_running(hosts):
    class Mine:
        async def spill(self, request):
            async def stray():
                raise SystemExit(1)

            self.task = asyncio.ensure_future(stray())
            return "first"

        def compact(self, request):
            return "second"

    host = hosts()
    await host.register(Mine, "mine")
    await asked(host, "spill")
    assert (await asked(host, "compact"))[0].value == "second"
    assert [f.reason for f in host.drain_faults()] == ["stray"]


async def test_an_error_whose_message_raises_is_told_all_the_same(hosts):
    class Odd(Exception):
        def __str__(self):
            raise ValueError

    class Mine:
        def spill(self, request):
            raise Odd

    host = hosts()
    await host.register(Mine, "mine")
    (answer,) = await asked(host, "spill")
    assert "Odd" in answer.fault.detail


async def test_required_or_refuse_makes_a_fault_end_the_turn(hosts):
    for changes in ({"required": ("mine",)}, {"on_fault": {"compact": "refuse"}}):
        host = hosts(**changes)
        await host.register(RAISES, "mine")
        with pytest.raises(RequiredPluginFailed, match="mine: compact"):
            await asked(host, "compact")
        (pending,) = host.start("compact", compact_request(), accept_all)
        with pytest.raises(RequiredPluginFailed):
            await pending.answer()
    assert (await asked(host, "spill"))[0].fault.reason == "raised"


async def test_refuse_also_holds_for_a_plugin_that_never_loaded(hosts):
    host = hosts(on_fault={"compact": "refuse"}, order={"compact": ("absent",)})
    await host.register(GOOD, "good")
    with pytest.raises(RequiredPluginFailed, match="absent"):
        await asked(host, "compact")
