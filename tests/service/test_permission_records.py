"""Who allowed or refused what is in the log, before it happens."""

from __future__ import annotations

import pytest

from fakellm import FakeServer, Scripted, ToolUse, Turn
from novacore.types import PermissionAnswer
from service.project_kit import make_project, user_config
from service.turns_kit import Watch, log_of, serving


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


def touching(name):
    return Turn((ToolUse("run", {"command": f"touch {name}"}, id=name),))


async def answered(project, answer, *turns):
    """The records of a turn whose questions are all answered so."""
    script = Scripted([*turns, Turn.say("Done.")])
    async with FakeServer(script) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id

        async def reply(event):
            if event.kind == "permission":
                await service.answer(session, event.data["questionId"], answer)

        await Watch(service, session, "Touch it.", on=reply).task
        return log_of(session)


def permissions(records):
    """What was decided, in order: who, and how."""
    found = (record for record in records if record["kind"] == "permission")
    return [(record["by"], record["data"]["outcome"]) for record in found]


def kinds(records):
    return [record["kind"] for record in records]


@pytest.mark.parametrize("outcome", ["once", "session", "always"])
async def test_a_question_and_its_answer_stand_before_what_they_allowed(project, outcome):
    records = await answered(project, PermissionAnswer(outcome=outcome), touching("a"))
    assert permissions(records) == [("host", ""), ("user", outcome)]
    *_, told = [record for record in records if record["kind"] == "permission"]
    assert records.index(told) < kinds(records).index("tool_started")
    assert told["data"]["question"]["command"] == "touch a"
    assert told["data"]["question"]["call_id"] == "a"
    assert (project / "a").exists()


async def test_a_refusal_is_recorded_with_its_reason(project):
    answer = PermissionAnswer(outcome="reject", reason="not on a Friday")
    records = await answered(project, answer, touching("a"))
    assert permissions(records) == [("host", ""), ("user", "reject")]
    *_, told = [record["data"] for record in records if record["kind"] == "permission"]
    assert told["reason"] == "not on a Friday"
    assert "tool_started" not in kinds(records)


async def test_an_answer_for_the_session_is_given_once(project):
    same = [Turn((ToolUse("run", {"command": "touch a"}, id=id),)) for id in ("c1", "c2")]
    records = await answered(project, PermissionAnswer(outcome="session"), *same)
    assert permissions(records) == [("host", ""), ("user", "session"), ("host", "allow")]
    assert kinds(records).count("tool_started") == 2


async def test_what_a_rule_allows_is_told_as_that(project):
    user_config('[permissions]\nallow = ["touch *"]\n')
    records = await answered(project, PermissionAnswer(outcome="reject"), touching("a"))
    assert permissions(records) == [("host", "allow")]
    assert "tool_started" in kinds(records)
