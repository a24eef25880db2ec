"""Compaction through the service, against a fake server over real HTTP, in a small window."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from engine.wire import load_rules
from fakellm import FakeServer
from host.plugin_folder import PluginFolder
from novacore.store.folder import SessionFolder
from service.long_session import (
    BUDGET,
    RULES,
    TASK,
    WINDOW,
    Reader,
    epochs,
    make_modules,
    of_kind,
    reasoning,
    say,
    service_on,
    texts,
)
from service.project_kit import environment, novacore, sessions_folder

STEPS = 20
LATEST = "Go on, and count the constants too."
OLD_STYLE, NEW_STYLE = "Indent with two spaces.", "Indent with four spaces."
ALIKE = 1.1
"""How far the fake's tokens may be from what was estimated for a window of mixed text."""


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """Two turns of twenty large reads each, once; the tests look at them from all sides."""
    base = tmp_path_factory.mktemp("long")
    project = make_modules(base / "project")
    rules = project / "AGENTS.md"
    rules.write_text(OLD_STYLE)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CONFIG", "CACHE"):
            patch.setenv(f"NOVACORE_{name}_DIR", str(base / name.lower()))
        return asyncio.run(_long(project, lambda: rules.write_text(NEW_STYLE)))


async def _long(project, change_rules):
    async with FakeServer(Reader(STEPS, {5: change_rules}), window=WINDOW) as fake:
        async with service_on(project, fake) as service:
            session = (await service.new_session()).id
            turns = [await say(service, session, text) for text in (TASK, LATEST)]
            log = service.session_events(session)
        files = (sessions_folder() / session / "snapshots").rglob("*.json*")
        kept = sum(path.stat().st_size for path in files)
        return {"turns": turns, "requests": list(fake.requests), "log": log, "snapshots": kept}


def boundaries(log):
    return [event for event in log if event.kind == "compaction"]


def test_the_turns_go_on_over_their_boundaries(long):
    for turn in long["turns"]:
        assert turn[-1].data["stopReason"] == "end_turn"
        assert turn[-1].data["steps"] == STEPS + 1
        assert len(of_kind(turn, "compaction")) >= 1
        assert of_kind(turn, "notice") == []
    assert len(long["requests"]) == 2 * (STEPS + 1)


def test_a_boundary_stands_between_a_result_and_the_next_answer(long):
    shown = [e for e in long["log"] if e.kind in ("tool_result", "assistant", "compaction")]
    for boundary in boundaries(long["log"]):
        place = shown.index(boundary)
        before, after = shown[place - 1], shown[place + 1]
        assert (before.kind, after.kind) == ("tool_result", "assistant")
        assert before.turn == boundary.turn == after.turn


def test_it_is_made_at_the_soft_line_and_the_new_epoch_is_at_most_its_target(long):
    for event in boundaries(long["log"]):
        boundary = event.data["boundary"]
        assert BUDGET.soft <= boundary["tokens_before"] < BUDGET.hard
        assert boundary["trigger"] == "soft"
    for group in epochs(long["requests"])[1:]:
        assert group[0].input_tokens <= BUDGET.target * ALIKE


def test_no_request_passes_the_hard_line(long):
    assert max(request.input_tokens for request in long["requests"]) < BUDGET.hard * ALIKE


def test_inside_an_epoch_every_request_begins_with_the_one_before(long):
    assert len(epochs(long["requests"])) == 1 + len(boundaries(long["log"]))
    for group in epochs(long["requests"]):
        for before, request in pairwise(group):
            assert request.rendered().startswith(before.rendered())
            cached = request.usage["cache_read_input_tokens"]
            assert cached >= 0.99 * before.input_tokens


def test_every_rule_of_the_user_is_byte_equal_in_every_request(long):
    for request in long["requests"]:
        said = "\n".join(texts(request.body))
        assert [rule for rule in RULES if rule not in said] == []


def test_the_newest_user_message_is_in_every_request(long):
    for number, request in enumerate(long["requests"]):
        assert (TASK if number <= STEPS else LATEST) in texts(request.body)


def test_pairs_are_valid_in_every_request(long, shared):
    check = load_rules(shared)
    for request in long["requests"]:
        assert check(request.body) == []


def test_reasoning_ends_with_its_epoch_and_is_whole_inside_it(long):
    for group in epochs(long["requests"]):
        for place, request in enumerate(group):
            # An answer with reasoning came after each request of the epoch, and none before it.
            assert len(reasoning(request.body)) == place


def test_the_history_before_a_boundary_is_framed_as_derived(long):
    for group in epochs(long["requests"])[1:]:
        (summary,) = [t for t in texts(group[0].body) if t.startswith("<derived-context")]
        assert "no user wrote it" in summary
        assert "events.jsonl" in summary


def test_instruction_files_are_read_again_at_a_boundary(long):
    first, second = epochs(long["requests"])[:2]
    assert OLD_STYLE in "".join(texts(first[0].body))
    # Inside the epoch the change is told after what was said before; nothing is taken back.
    assert any("This replaces" in t and NEW_STYLE in t for t in texts(first[-1].body))
    head = "".join(texts(second[0].body))
    assert NEW_STYLE in head
    assert OLD_STYLE not in head


def test_the_files_of_the_tail_are_not_attached_a_second_time(long):
    for group in epochs(long["requests"])[1:]:
        (recovery,) = [t for t in texts(group[0].body) if t.startswith("<recovery>")]
        calls = [b for m in group[0].body["messages"] for b in m["content"] if "input" in b]
        newest = calls[-1]["input"]["path"]
        assert f"\n{newest} version" not in recovery


def test_snapshots_take_little_more_than_the_last_request_of_each_epoch(long):
    # Inside an epoch only what was appended is kept, and equal texts once.
    whole = sum(len(group[-1].rendered()) for group in epochs(long["requests"]))
    assert long["snapshots"] < 1.3 * whole


async def grown(service, fake_reader, steps=8, text=TASK):
    """A session of one turn with ``steps`` reads; its id."""
    fake_reader.steps = steps
    session = (await service.new_session()).id
    await say(service, session, text)
    return session


@pytest.fixture
def project(tmp_path):
    return make_modules(tmp_path / "project")


async def test_ten_compactions_in_a_row_lose_no_rule(project):
    reader = Reader(4)
    async with (
        FakeServer(reader, window=WINDOW) as fake,
        service_on(project, fake) as service,
    ):
        session = await grown(service, reader)
        for number in range(10):
            made = await service.compact(session, focus=f"part {number}")
            assert made["id"], made
            assert made["after"] < made["before"]
            await say(service, session, f"Now part {number}.")
            said = "\n".join(texts(fake.requests[-1].body))
            assert all(rule in said for rule in RULES)
            assert f"Now part {number}." in texts(fake.requests[-1].body)
        constraints = boundaries(service.session_events(session))[-1].data["boundary"]["state"]
        assert [rule["text"] for rule in constraints["constraints"]] == list(RULES)


async def test_a_resumed_session_sends_the_same_bytes_also_after_a_boundary(project):
    reader = Reader(4)
    async with FakeServer(reader, window=WINDOW) as fake:
        async with service_on(project, fake) as service:
            session = await grown(service, reader, steps=3)
        for text in ("Go on.", "And on."):
            async with service_on(project, fake) as service:
                await service.open_session(session)
                await say(service, session, text)
        async with service_on(project, fake) as service:
            await service.open_session(session)
            assert (await service.compact(session))["id"]
        for text in ("Further.", "Still further."):
            async with service_on(project, fake) as service:
                await service.open_session(session)
                await say(service, session, text)
        first, second = epochs(fake.requests)
        assert len(first) == 3 * 4
        assert len(second) == 2 * 4
        assert len(reasoning(second[-1].body)) == len(second) - 1


def run_compact(project, fake, *words, **env):
    return novacore("compact", *words, cwd=project, env=environment(fake.url, **env))


async def test_the_command_makes_a_boundary_with_a_focus(project):
    reader = Reader(8)
    async with FakeServer(reader, window=WINDOW) as fake:
        async with service_on(project, fake) as service:
            session = await grown(service, reader)
        words = (session, "--focus", "the constants of m3")
        done = await asyncio.to_thread(run_compact, project, fake, *words)
        assert done.returncode == 0, done.stderr
        assert "tokens by compact_state · accepted" in done.stdout
        (event,) = boundaries(log_of(session))
        assert event.data["boundary"]["trigger"] == "manual"
        assert event.data["focus"] == "the constants of m3"


async def test_a_short_session_is_not_compacted_and_stays_as_it_was(project):
    reader = Reader(0)
    async with FakeServer(reader, window=WINDOW) as fake:
        async with service_on(project, fake) as service:
            session = await grown(service, reader, steps=0, text="Hello.")
        done = await asyncio.to_thread(run_compact, project, fake, session)
        assert done.returncode == 1
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        assert "nothing was compacted" in line
        assert boundaries(log_of(session)) == []
        async with service_on(project, fake) as service:
            await service.open_session(session)
            await say(service, session, "Go on.")
        assert fake.requests[-1].appended_only


def log_of(session):
    return SessionFolder.open(sessions_folder().parent, session, write=False).log.events


KILLED = """
    import os, signal
    class P(Hooks):
        def compact(self, request):
            os.kill(os.getpid(), signal.SIGKILL)
"""


async def test_a_kill_in_the_middle_of_a_compaction_changes_nothing(project, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        folder = PluginFolder(tmp_path / "site", patch)
        folder.add("a_killer", KILLED)
    reader = Reader(8)
    async with FakeServer(reader, window=WINDOW) as fake:
        async with service_on(project, fake) as service:
            session = await grown(service, reader)
        files = sessions_folder() / session
        before = {p: p.read_bytes() for p in files.rglob("*") if p.suffix in (".jsonl", ".txt")}
        done = await asyncio.to_thread(
            run_compact, project, fake, session, PYTHONPATH=str(folder.path)
        )
        assert done.returncode == -9
        assert {path: path.read_bytes() for path in before} == before
        reader.steps = 2
        async with service_on(project, fake) as service:
            await service.open_session(session)
            await say(service, session, "Go on.")
            assert (await service.compact(session))["id"]
        assert len(epochs(fake.requests)) == 1


SMALL = {"claude-sonnet-5-5": WINDOW}


async def test_a_history_over_the_hard_line_of_a_smaller_window_is_compacted_first(project):
    reader = Reader(30)
    async with FakeServer(reader, window=200_000) as fake:
        async with service_on(project, fake) as service:
            session = await grown(service, reader, steps=30)
        assert fake.requests[-1].input_tokens > WINDOW
        reader.steps = 3
        async with service_on(project, fake, window__tokens=SMALL) as service:
            await service.open_session(session)
            turn = await say(service, session, LATEST)
        (made,) = of_kind(turn, "compaction")
        assert made["trigger"] == "hard"
        assert turn[-1].data["stopReason"] == "end_turn"
        sent = fake.requests[31:]
        assert max(request.input_tokens for request in sent) < BUDGET.hard
        said = "\n".join(texts(sent[0].body))
        assert all(rule in said for rule in RULES)
        assert LATEST in texts(sent[0].body)


async def test_a_prompt_that_the_provider_calls_too_long_is_compacted_and_sent_again(project):
    reader = Reader(30)
    wrong = {"window__tokens": {"claude-sonnet-5-5": 200_000}}
    async with (
        FakeServer(reader, window=WINDOW) as fake,
        service_on(project, fake, **wrong) as service,
    ):
        session = (await service.new_session()).id
        turn = await say(service, session, TASK)
        assert turn[-1].data["stopReason"] == "end_turn"
        assert of_kind(turn, "compaction")[0]["trigger"] == "too_long"
        refused = [request for request in fake.requests if request.input_tokens > WINDOW]
        first, second, *_ = epochs(fake.requests)
        # The fake records what it refuses: once, and never the same bytes again.
        assert refused == [first[-1]]
        assert second[0].input_tokens < BUDGET.soft
        assert all(rule in "\n".join(texts(second[0].body)) for rule in RULES)


async def test_without_a_plugin_that_answers_the_host_stands_in_at_the_hard_line(project):
    reader = Reader(30)
    none = {"window__tokens": SMALL, "plugins__disabled": ["compact_state"]}
    async with FakeServer(reader, window=200_000) as fake:
        async with service_on(project, fake) as service:
            session = await grown(service, reader, steps=30)
        reader.steps = 1
        async with service_on(project, fake, **none) as service:
            await service.open_session(session)
            turn = await say(service, session, LATEST)
        (made,) = of_kind(turn, "compaction")
        assert (made["plugin"], made["verdict"]) == ("floor", "floor")
        assert turn[-1].data["stopReason"] == "end_turn"
        assert all(rule in "\n".join(texts(fake.requests[-1].body)) for rule in RULES)


async def test_what_must_stay_and_does_not_fit_is_one_line_and_the_log_is_whole(project):
    (project / "AGENTS.md").write_text("Write tests for every change.\n" * 2_100)
    reader = Reader(1)
    small = '[window.tokens]\n"claude-sonnet-5-5" = 16000\n'
    async with FakeServer(reader, window=200_000) as fake:
        config = sessions_folder().parents[1] / "config" / "config.toml"
        config.parent.mkdir(exist_ok=True)
        config.write_text(small)
        done = await asyncio.to_thread(
            novacore, "ask", TASK, "--yes", cwd=project, env=environment(fake.url)
        )
        assert done.returncode == 3
        assert "the window is full and cannot shrink" in done.stderr.splitlines()[-1]
        assert "instruction files" in done.stderr.splitlines()[-1]
        assert fake.requests == []
        (session,) = (folder.name for folder in sessions_folder().iterdir())
        assert [e.kind for e in log_of(session)][-1] == "turn_end"
        config.write_text("")
        async with service_on(project, fake) as service:
            await service.open_session(session)
            turn = await say(service, session, "Go on.")
        assert turn[-1].data["stopReason"] == "end_turn"
        assert TASK in texts(fake.requests[0].body)


MORE = LATEST + " All of this is to be known." * 20


async def test_refusals_open_a_breaker_that_a_resume_keeps_and_a_command_closes(project):
    none = {"plugins__disabled": ["compact_state"], "window__tokens": SMALL}
    reader = Reader(0)
    async with FakeServer(reader, window=200_000) as fake:
        async with service_on(project, fake) as service:
            session = await grown(service, reader, steps=12)
            reader.steps = 0
        refused = []
        for _ in range(6):
            async with service_on(project, fake, **none) as service:
                await service.open_session(session)
                refused += of_kind(await say(service, session, MORE), "compaction")
        assert [made["verdict"][:8] for made in refused] == ["refused:"] * 3
        assert boundaries(log_of(session)) == []
        async with service_on(project, fake, window__tokens=SMALL) as service:
            await service.open_session(session)
            assert of_kind(await say(service, session, "Go on."), "compaction") == []
            assert (await service.compact(session))["id"]
