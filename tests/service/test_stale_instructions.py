"""A rules file in the window is stale when the file has changed, and only then."""

from __future__ import annotations

import pytest

from service.turns_kit import say, serving

QUESTION = "Where is size defined?"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "a.py").write_text("def size():\n    return 1\n")
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    return tmp_path


async def test_an_instruction_file_is_stale_once_it_changed(project):
    def rules(service, session):
        found = service.context(session)["fragments"]
        return [row for row in found if row["source"]["uri"] == "file:AGENTS.md"]

    async with serving(project, model="navigator") as service:
        session = (await service.new_session()).id
        await say(service, session, QUESTION)
        assert [row["stale"] for row in rules(service, session)] == [False]
        (project / "AGENTS.md").write_text("Use spaces.\n")
        assert [row["stale"] for row in rules(service, session)] == [True]
        await say(service, session, QUESTION)
        assert [row["stale"] for row in rules(service, session)] == [True, False]
