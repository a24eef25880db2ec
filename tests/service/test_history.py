"""What the ``history`` tool opens: events, ranges as passages name them, other sessions."""

from __future__ import annotations

import pytest

from fakellm import FakeServer, Scripted, Turn
from service.project_kit import make_project, sessions_folder
from service.turns_kit import log_of, results, say, serving


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


def opening(choose, **more):
    """A turn that opens what ``choose`` makes of the session's records."""

    def turn(request):
        (session,) = [path.name for path in sessions_folder().iterdir()][:1]
        return Turn.call("history", event=choose(log_of(session)), **more)

    return turn


async def answers(project, *script, words="Remember the word plum."):
    """What each call of the second turn gave."""
    turns = [Turn.call("read", path="calc.py"), Turn.say("I do."), *script, Turn.say("done")]
    async with FakeServer(Scripted(turns)) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        await say(service, session, words)
        await say(service, session, "What was it?")
        return [text for text, _ in results(fake.requests[-1].body).values()][1:]


def ids(records, *kinds):
    return [record["id"] for record in records if record["kind"] in kinds]


async def test_a_range_shows_every_event_of_it_and_nothing_else(project):
    def all_of_the_first_turn(records):
        shown = ids(records, "user", "assistant", "tool_result")
        return f"{shown[0]}..{shown[3]}"

    def from_the_result_on(records):
        shown = ids(records, "tool_result", "assistant")
        return f"event:{shown[1]}..{shown[2]}"

    whole, part = await answers(
        project, opening(all_of_the_first_turn), opening(from_the_result_on)
    )
    assert "Remember the word plum." in whole
    assert "[called read: calc.py]" in whole
    assert "def gross" in whole
    assert "I do." in whole
    assert "What was it?" not in whole
    assert "plum" not in part
    assert "I do." in part


async def test_a_long_range_is_read_in_pieces(project):
    def everything(records):
        shown = ids(records, "user", "assistant", "tool_result")
        return f"{shown[0]}..{shown[2]}"

    (text,) = await answers(project, opening(everything), words="plum " * 7_000)
    assert "plum plum" in text
    first, rest = text.rsplit("\n", 1)
    assert "def gross" not in first
    assert rest.startswith("... go on with event=")


@pytest.mark.parametrize("wanted", ["nothing", "nothing..nothing", "..", "a..b..c"])
async def test_what_is_not_there_is_said(project, wanted):
    (text,) = await answers(project, Turn.call("history", event=wanted))
    assert "No event" in text
