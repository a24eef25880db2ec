"""Tokens: an exact vocabulary counts where its file is at hand, and a session may change over."""

from __future__ import annotations

import pytest

from fakellm import FakeServer, Scripted, Turn
from service.project_kit import make_project
from service.turns_kit import say, serving


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


def at_hand(monkeypatch, count):
    found = None if count is None else (count, "tiny")
    monkeypatch.setattr("novacore.service.opening.counter_at_hand", lambda *folders: found)


async def test_the_manifest_says_what_counted_and_estimates_of_two_kinds_do_not_mix(
    project, monkeypatch
):
    script = [Turn.say("one " * 900), Turn.say("two"), Turn.say("three")]
    said = []
    async with FakeServer(Scripted(script)) as fake:
        at_hand(monkeypatch, None)
        async with serving(project, fake) as service:
            session = (await service.new_session()).id
            await say(service, session, "first")
            await say(service, session, "second")
            said.append(service.context(session)["counting"])
        # Ten times too many, so that a ratio learned from the other kind would show.
        at_hand(monkeypatch, lambda text: len(text) * 3)
        async with serving(project, fake) as service:
            await service.open_session(session)
            await say(service, session, "third")
            found = service.context(session)
    assert said[0].startswith("class estimate x ")
    assert "learned from" in said[0]
    assert found["counting"] == "tiny x 1.65 (start)"
    assert found["used"] > 10_000
