"""What changes in the middle of a session is told at its end, and never changes what was sent."""

from __future__ import annotations

import pytest

from fakellm import FakeServer
from service.long_session import (
    RULES,
    TASK,
    WINDOW,
    Reader,
    epochs,
    make_modules,
    of_kind,
    say,
    service_on,
    texts,
)


@pytest.fixture
def project(tmp_path):
    return make_modules(tmp_path / "project")


def added(before, request):
    """The texts that a request holds and the one before did not."""
    return texts(request.body)[len(texts(before.body)) :]


def updates(before, request):
    """Those of them that tell a difference."""
    return [text for text in added(before, request) if text.startswith("<update>")]


async def test_another_mode_is_an_update_behind_the_same_prefix(project):
    reader = Reader(1)
    async with FakeServer(reader, window=WINDOW) as fake:
        async with service_on(project, fake, mode="read-only") as service:
            session = (await service.new_session()).id
            await say(service, session, TASK)
        async with service_on(project, fake, mode="accept-edits") as service:
            await service.open_session(session)
            await say(service, session, "Go on.")
        assert len(epochs(fake.requests)) == 1
        assert fake.requests[2].body["tools"] == fake.requests[0].body["tools"]
        update, *_ = updates(fake.requests[1], fake.requests[2])
        assert "This replaces everything said earlier under: permissions" in update
        assert "Mode accept-edits" in update
        assert texts(fake.requests[2].body)[-1] == "Go on."


async def test_a_changed_instruction_file_is_told_between_two_steps(project):
    rules = project / "AGENTS.md"
    rules.write_text("Indent with tabs.")
    asides = {
        1: lambda: rules.write_text("Indent with spaces."),
        3: rules.unlink,
    }
    async with (
        FakeServer(Reader(5, asides), window=WINDOW) as fake,
        service_on(project, fake) as service,
    ):
        session = (await service.new_session()).id
        turn = await say(service, session, TASK)
        assert turn[-1].data["stopReason"] == "end_turn"
        assert len(epochs(fake.requests)) == 1
        first, second, third, fourth, fifth, last = fake.requests
        assert any("Indent with tabs." in text for text in texts(first.body))
        assert updates(first, second) == updates(third, fourth) == updates(fifth, last) == []
        (update,) = updates(second, third)
        assert "replaces everything said earlier under: instructions from AGENTS.md" in update
        assert "Indent with spaces." in update
        (gone,) = updates(fourth, fifth)
        assert "No longer in force" in gone
        assert "AGENTS.md" in gone


async def test_nothing_is_told_again_when_a_session_is_resumed(project):
    (project / "AGENTS.md").write_text("Indent with tabs.")
    reader = Reader(1)
    async with FakeServer(reader, window=WINDOW) as fake:
        async with service_on(project, fake) as service:
            session = (await service.new_session()).id
            await say(service, session, TASK)
            await say(service, session, "More.")
        for text in ("Go on.", "And on."):
            async with service_on(project, fake) as service:
                await service.open_session(session)
                await say(service, session, text)
        for at, text in ((4, "Go on."), (6, "And on.")):
            answer = "Read so far; all in order."
            assert added(fake.requests[at - 1], fake.requests[at]) == [answer, text]


async def test_a_restatement_repeats_the_rules_verbatim_and_only_when_they_changed(project):
    reader = Reader(1)
    async with (
        FakeServer(reader, window=WINDOW) as fake,
        service_on(project, fake) as service,
    ):
        session = (await service.new_session()).id
        await say(service, session, TASK)
        for text in ("Go on.", "And on.", "Also: you must not rename m3.py.", "Further.", "Last."):
            await say(service, session, text)
        restated = [t for t in texts(fake.requests[-1].body) if t.startswith("<restatement>")]
        assert len(restated) == 2
        assert all(rule in restated[0] for rule in RULES)
        assert "rename m3" not in restated[0]
        assert "- Also: you must not rename m3.py." in restated[1]
        assert all("replaces any earlier restatement" in text for text in restated)


async def test_another_model_starts_anew_and_comes_back_without_a_refusal(project):
    reader = Reader(1)
    async with FakeServer(reader, window=WINDOW) as fake:
        async with service_on(project, fake) as service:
            session = (await service.new_session()).id
            await say(service, session, TASK)
        for model in ("haiku", "sonnet"):
            async with service_on(project, fake, model=model) as service:
                await service.open_session(session)
                turn = await say(service, session, "Go on.")
                assert turn[-1].data["stopReason"] == "end_turn"
                assert of_kind(turn, "notice") == []
        models = [request.body["model"] for request in fake.requests]
        assert len(models) == 6
        assert len(set(models)) == 2
        assert all(TASK in texts(request.body) for request in fake.requests)
