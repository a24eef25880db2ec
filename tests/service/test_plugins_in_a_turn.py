"""Plugins that fail, hang, lie and disagree, in whole turns over real HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fakellm import FakeServer, Scripted, Turn
from host.plugin_folder import PluginFolder
from novacore.host import read_faults
from novacore.service import opening
from service.long_session import Reader, make_modules
from service.project_kit import (
    environment,
    json_lines,
    make_project,
    novacore,
    sessions_folder,
    user_config,
)
from service.turns_kit import check_wire, notices, say, serving, texts

DEADLINE = 1.5
LATE_AFTER = 3.5
NOT_WAITED_FOR = 120
"""Seconds; far from the 600 of the plugin that sleeps, and from any machine under load."""

ANSWERS = {
    "spill": "SpillPlan(items=tuple(SpillItem(output_id=o.id, ranges=(LineRange(start_line=1, "
    'end_line=2),), note="{word}") for o in request.outputs))',
    "compact": 'compaction(request, "{word}")',
    "recall": '[Recalled(key="k", text="{word}", uri="mem:{word}")]',
    "inject_instructions": '(Section(id="{word}", text="{word}", uri="x:{word}", version="1"),)',
    "select_tools": 'ToolChoice(hide=("glob",) if "{word}" == "GOOD" else ("search",))',
}
"""An answer of each hook that is right, and that shows whose it is."""

CODE = {
    "a_raises": 'def {hook}(self, request):\n        raise ValueError("broken on purpose")',
    "a_sleeps": "def {hook}(self, request):\n        time.sleep(600)",
    "a_swallows": """async def {hook}(self, request):
        end = time.monotonic() + {late}
        while time.monotonic() < end:
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                pass
        return {late_answer}""",
    "a_babbles": 'def {hook}(self, request):\n        return {{"role": "assistant"}}',
    "a_exits": "def {hook}(self, request):\n        raise SystemExit(3)",
    "b_good": "def {hook}(self, request):\n        return {good_answer}",
}
REASONS = {
    "a_raises": "raised: ValueError: broken on purpose",
    "a_sleeps": "deadline: did not answer within",
    "a_swallows": "deadline: did not answer within",
    "a_babbles": "refused:",
    "a_exits": "raised: SystemExit: 3",
}


COMPACTION = """
def compaction(request, word):
    cut = request.legal_cuts[0].event
    span = [item.event.id for item in request.view]
    span = span[:span.index(cut)]
    covers = EventRange(first=span[0], last=span[-1])
    return Compaction(cut=cut, passages=(Passage(text=word, covers=covers),))
"""


def install(folder, hook, suffix="", late=LATE_AFTER):
    """Five plugins that misbehave in ``hook``, and one that does not."""
    for name, body in CODE.items():
        method = body.format(
            hook=hook,
            late=late,
            late_answer=ANSWERS[hook].format(word="LATE"),
            good_answer=ANSWERS[hook].format(word="GOOD"),
        )
        folder.add(f"{name}{suffix}", f"{COMPACTION}\nclass P(Hooks):\n    {method}\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    return PluginFolder(tmp_path / "site", monkeypatch)


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


@pytest.fixture
def short_deadlines(monkeypatch):
    """The same configuration, with less time for a plugin than a test wants to wait."""
    configured = opening.host_config

    def shortened(workspace):
        deadlines = dict.fromkeys(ANSWERS, DEADLINE)
        return replace(configured(workspace), deadlines=deadlines)

    monkeypatch.setattr(opening, "host_config", shortened)
    user_config(
        '[permissions]\nallow = ["python *"]\n[recall]\nwait_ms = 2000\n'
        "[window.tokens]\nclaude-sonnet-5-5 = 40000\n"
    )


def faults_in(manifest, hook):
    """The first fault of each plugin in a manifest."""
    found = {}
    for row in manifest["plugins"]:
        if row["hook"] == hook and row["fault"]:
            found.setdefault(row["plugin"], row["fault"])
    return found


async def late_fault(hook):
    """Wait until the plugin that swallows its cancellation has answered."""
    file = Path(os.environ["NOVACORE_STATE_DIR"]) / "faults.jsonl"
    async with asyncio.timeout(20):
        while True:
            late = [f for f in read_faults(file) if f.reason == "late" and f.hook == hook]
            if late:
                return late[0]
            await asyncio.sleep(0.05)


async def check_faults(service, hook, told, manifest):
    """Each fault is in ``plugins`` and in the manifest, and was told once; the late one too."""
    late = await late_fault(hook)
    assert (late.plugin, "answered after" in late.detail) == ("a_swallows", True)
    seen = faults_in(manifest, hook)
    rows = {row.name: row for row in await service.plugins()}
    for name, reason in REASONS.items():
        assert seen[name].startswith(reason)
        assert rows[name].faults >= 1
        assert rows[name].last_fault
        lines = [line for line in told if f"plugin {name}: {hook} " in line]
        assert len([line for line in lines if "switched off" not in line]) == 1, told
        assert len(lines) == len(set(lines))
    assert "b_good" not in seen
    assert (rows["b_good"].state, rows["b_good"].faults) == ("active", 0)
    assert rows["a_sleeps"].state == rows["a_swallows"].state == "hung"


TOLD_IN = {"select_tools": 1, "inject_instructions": 1, "recall": 1, "spill": 2}
"""The request whose manifest says what came of a hook."""


@pytest.mark.parametrize("hook", TOLD_IN)
async def test_five_that_misbehave_cost_their_deadline_and_nothing_else(
    folder, project, shared, short_deadlines, hook
):
    install(folder, hook)
    script = Scripted([Turn.call("run", command="python noise.py"), Turn.say("One.")])
    async with FakeServer(script) as fake, serving(project, fake, assume_yes=True) as service:
        begun = time.monotonic()
        session = (await service.new_session()).id
        first = await say(service, session, "Make noise.")
        assert first[-1].data["stopReason"] == "end_turn"
        assert time.monotonic() - begun < NOT_WAITED_FOR
        await late_fault(hook)
        second = await say(service, session, "And?")
        told = [*notices(first), *notices(second)]
        await check_faults(service, hook, told, service.context(session, TOLD_IN[hook]))
        check_wire(shared, fake)
        bodies = json.dumps([request.body for request in fake.requests])
        assert "LATE" not in bodies
        names = fake.requests[-1].tool_names
        if hook == "select_tools":
            assert "glob" not in names
            assert "search" in names
        else:
            assert "GOOD" in bodies


async def test_five_that_misbehave_in_a_compaction(folder, tmp_path, shared, short_deadlines):
    install(folder, "compact")
    project = make_modules(tmp_path / "modules")
    async with FakeServer(Reader(steps=6)) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        await say(service, session, "Read. You must never touch m3.py.")
        begun = time.monotonic()
        made = await service.compact(session)
        assert time.monotonic() - begun < NOT_WAITED_FOR
        assert (made["plugin"], bool(made["id"])) == ("b_good", True)
        events = await say(service, session, "Read on.")
        assert events[-1].data["stopReason"] == "end_turn"
        requests = [row["request"] for row in service.context(session)["requests"]]
        told_in = next(n for n in requests if faults_in(service.context(session, n), "compact"))
        told = [*made["notices"], *notices(events)]
        await check_faults(service, "compact", told, service.context(session, told_in))
        (row,) = [
            row
            for row in service.context(session, told_in)["plugins"]
            if row["plugin"] == "b_good" and row["hook"] == "compact"
        ]
        assert set(row["instead_of"]) == set(REASONS)
        check_wire(shared, fake)
        assert "You must never touch m3.py." in json.dumps(fake.requests[-1].body)
        assert "LATE" not in json.dumps([request.body for request in fake.requests])


def test_all_of_them_at_once_from_the_command_line(folder, project, shared):
    """Real deadlines: 1 s for tools and twice 1 s for spills, 2 s for instructions, 8 s beside."""
    user_config('[permissions]\nallow = ["python *"]\n')
    for hook in ANSWERS:
        install(folder, hook, suffix=f"_{hook}", late=20)
    script = Scripted([Turn.call("run", command="python noise.py"), Turn.say("Done so far.")])
    with FakeServer(script) as fake:
        env = environment(fake.url, PYTHONPATH=str(folder.path))
        done = novacore("ask", "Make noise.", "--yes", "--json", cwd=project, env=env)
        ended = datetime.now(UTC)
        assert done.returncode == 0, done.stderr
        *events, last = json_lines(done.stdout)
        assert last["data"]["text"] == "Done so far."
        begun = datetime.fromisoformat(events[0]["ts"])
        assert (ended - begun).total_seconds() < NOT_WAITED_FOR
        check_wire(shared, fake)
    first = next(row for row in json_lines(done.stdout) if row["kind"] == "user")["sessionId"]
    shown = json.loads(novacore("plugins", "--json", cwd=project, env=env).stdout)
    rows = {row["name"]: row for row in shown["data"]["plugins"]}
    found = json.loads(novacore("context", first, "--json", cwd=project, env=env).stdout)["data"]
    one = json.loads(
        novacore("context", first, "--request", "1", "--json", cwd=project, env=env).stdout
    )["data"]
    in_manifest = {(r["plugin"], r["hook"]) for r in (*found["plugins"], *one["plugins"])
                   if r["fault"]}  # fmt: skip
    for hook in ("spill", "recall", "inject_instructions", "select_tools"):
        for name in REASONS:
            assert rows[f"{name}_{hook}"]["faults"] >= 1, (name, hook)
            assert (f"{name}_{hook}", hook) in in_manifest, (name, hook)
        assert rows[f"b_good_{hook}"]["faults"] == 0
    told = [row["text"] for row in json_lines(done.stdout) if row["kind"] == "notice"]
    assert len(told) == len(set(told))


# --- P30 -----------------------------------------------------------------------------------------


CASE = {
    "a": """
        class P(Hooks):
            def recall(self, request):
                turn = request.text
                return [Recalled(key=f"{turn}{k}", text=f"fragment {k} for {turn}", uri=f"mem:{k}")
                        for k in "12"]
            def select_tools(self, request):
                return ToolChoice(keep=("format_disk",), hide=("read",))
    """,
    "b": """
        class P(Hooks):
            def recall(self, request):
                raise ValueError("b is broken")
    """,
    "c": """
        class P(Hooks):
            def recall(self, request):
                return "a string instead of a list"
            def compact(self, request):
                return [{"role": "user", "content": [{"type": "tool_result", "id": "orphan"}]}]
    """,
    "d": """
        class P(Hooks):
            def recall(self, request):
                time.sleep(60)
            def spill(self, request):
                request.outputs[0].call["command"] = "changed in place"
    """,
    "i": """
        class P(Hooks):
            def compact(self, request):
                return None
    """,
    "k": """
        class P(Hooks):
            def recall(self, request):
                return [Recalled(key="k", text="word " * 400_000, uri="mem:k")]
    """,
}


@pytest.fixture
async def three_turns(folder, tmp_path, short_deadlines):
    """The case's plugins and three turns; everything that came of it."""
    for name, code in CASE.items():
        folder.add(name, code)
    project = make_modules(tmp_path / "modules")
    async with FakeServer(Reader(steps=3)) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        turns = [await say(service, session, f"turn-{number}") for number in range(3)]
        made = await service.compact(session)
        last = await say(service, session, "turn-3")
        yield fake, service, session, [*turns, last], made


async def test_p30_f1_every_turn_is_answered_with_both_fragments(three_turns, shared):
    fake, _, _, turns, _ = three_turns
    assert [events[-1].data["stopReason"] for events in turns] == ["end_turn"] * 4
    bodies = [json.dumps(request.body) for request in fake.requests]
    for number in range(3):
        own = [b for b in bodies if f'"turn-{number}"' in b and f'"turn-{number + 1}"' not in b]
        assert own
        for body in own:
            assert f"fragment 1 for turn-{number}" in body
            assert f"fragment 2 for turn-{number}" in body
    check_wire(shared, fake)


async def test_p30_f3_faults_name_plugin_hook_turn_and_reason_and_are_told_once(three_turns):
    _, service, session, turns, _ = three_turns
    file = Path(os.environ["NOVACORE_STATE_DIR"]) / "faults.jsonl"
    seen = [(f.plugin, f.turn, f.reason) for f in read_faults(file)
            if f.session == session and f.hook == "recall"]  # fmt: skip
    for name, reason in (("b", "raised"), ("c", "refused"), ("k", "refused")):
        assert [row for row in seen if row[0] == name] == [(name, n, reason) for n in (1, 2, 3)]
    assert [row for row in seen if row[0] == "d"] == [("d", 1, "deadline")]
    told = [line for events in turns for line in notices(events) if ": recall " in line]
    assert len(told) == len(set(told))
    off = [line for line in told if "switched off" in line]
    assert sorted(line.split(":")[0] for line in off) == ["plugin b", "plugin c", "plugin k"]
    manifests = [service.context(session, row["request"])
                 for row in service.context(session)["requests"]]  # fmt: skip
    for name in "bcdk":
        assert next(m["turn"] for m in manifests if name in faults_in(m, "recall")) == 1


async def test_p30_f5_a_broken_and_an_empty_compaction_fall_to_the_built_in(three_turns, shared):
    fake, service, session, _, made = three_turns
    assert made["plugin"] == "compact_state"
    sent = [row["request"] for row in service.context(session)["requests"]]
    told = [row for number in sent for row in service.context(session, number)["plugins"]]
    rows = [row for row in told if row["hook"] == "compact"]
    refused = [row["fault"] for row in rows if row["plugin"] == "c"]
    assert all(fault.startswith("refused: ") for fault in refused)
    (built_in,) = [row for row in rows if row["plugin"] == "compact_state"]
    assert built_in["instead_of"] == ["c"]
    assert len(refused) == 2, "a refused proposal is asked for once more"
    check_wire(shared, fake)


async def test_p30_f6_protected_tools_stay_and_invented_ones_are_reported(three_turns):
    fake, service, session, _, _ = three_turns
    for request in fake.requests:
        assert "read" in request.tool_names
        assert "format_disk" not in request.tool_names
    fault = faults_in(service.context(session, 1), "select_tools")["a"]
    assert "read" in fault
    assert "format_disk" in fault


async def test_a_required_plugin_that_fails_stops_the_turn_and_keeps_the_words(
    folder, project, short_deadlines
):
    folder.add("strict", "class P(Hooks):\n    def recall(self, request):\n        1 / 0\n")
    overrides = {"plugins.required": ["strict"]}
    async with FakeServer(Scripted([])) as fake:
        async with serving(project, fake, overrides=overrides) as service:
            session = (await service.new_session()).id
            events = await say(service, session, "Remember these words.")
            error = events[-1].data["error"]
            assert (error["type"], error["exitCode"]) == ("RequiredPluginFailed", 3)
            assert "strict" in error["message"]
            assert not fake.requests
        async with serving(project, fake, overrides={"plugins.disabled": ["strict"]}) as service:
            await service.open_session(session)
            await say(service, session, "Well?")
        assert "Remember these words." in texts(fake.requests[-1].body)


def test_a_secret_that_a_plugin_lets_slip_is_in_no_file(folder, project):
    secret = "sk-ant-api03-" + "Z9" * 40
    folder.add("leaks", f"""
        class P(Hooks):
            def recall(self, request):
                raise ValueError("key {secret} is wrong")
    """)  # fmt: skip
    with FakeServer(Scripted([])) as fake:
        env = environment(fake.url, PYTHONPATH=str(folder.path))
        done = novacore("ask", "Hello?", cwd=project, env=env)
    assert done.returncode == 0, done.stderr
    assert "plugin leaks" in done.stderr
    for path in sessions_folder().parent.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path
