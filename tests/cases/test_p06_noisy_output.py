"""P06: terminal noise (F1, F2); notebook cells (F3 to F6) come with the JupyterLab extension."""

from __future__ import annotations

import json

import pytest

from fakellm import FakeServer, Scripted, Turn
from novacore.engine.clean import clean
from novacore.store.artifacts import ArtifactStore
from service.project_kit import environment, make_project, novacore, user_config
from service.turns_kit import results
from spill.door import output, settled

CASE = ("cases", "agent", "P06_noisy_output")


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "tool-results")


@pytest.fixture
def checks(shared):
    facts = json.loads((shared(*CASE) / "expect.json").read_text())["facts"]
    return {fact["id"]: fact["check"] for fact in facts}


@pytest.fixture
async def piece(shared, store):
    terminal = json.loads((shared(*CASE) / "input.json").read_text())["terminal"]
    assert len(terminal["raw"]) == 38_696
    made = output("noisy", clean(terminal["raw"]), command="./build.sh", exit_code=1)
    return (await settled([made], store)).pieces[0]


async def test_f1_no_control_byte_short_and_not_spilled(piece, checks):
    check = checks["F1"]
    assert [char for char in check["no_chars"] if char in piece.text] == []
    assert len(piece.text) < check["max_chars"]
    assert piece.spill is None


async def test_f2_the_error_and_the_last_state_of_every_download_remain(piece, checks):
    check = checks["F2"]
    assert [part for part in check["contains"] if part not in piece.text] == []
    assert {word: piece.text.count(word) for word in check["count"]} == check["count"]
    assert [n for n in range(6) if f"model-{n}.bin  100%" not in piece.text] == []


def test_f1_f2_through_the_command_line(shared, checks, tmp_path):
    project = make_project(tmp_path / "project")
    terminal = json.loads((shared(*CASE) / "input.json").read_text())["terminal"]
    (project / "raw.bin").write_bytes(terminal["raw"].encode())
    user_config('[permissions]\nallow = ["cat *", "exit *"]\n')
    run = Turn.call("run", command="cat raw.bin; exit 1")
    with FakeServer(Scripted([run, Turn.say("done")])) as fake:
        done = novacore("ask", "Build it.", "--yes", cwd=project, env=environment(fake.url))
        assert done.returncode == 0, done.stderr
        ((text, _),) = results(fake.requests[-1].body).values()
    assert [char for char in checks["F1"]["no_chars"] if char in text] == []
    assert len(text) < checks["F1"]["max_chars"]
    assert "persisted-output" not in text
    assert [part for part in checks["F2"]["contains"] if part not in text] == []
    assert text.count("100%") == checks["F2"]["count"]["100%"]
