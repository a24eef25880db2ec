"""P03: hostile or oversized tool ids, and where the file lands.

At the door of the store, and through the command line with a model that gives the case's ids.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from engine.wire import load_rules
from fakellm import FakeServer, Scripted, ToolUse, Turn
from novacore.errors import ArtifactNotFound
from novacore.store.folder import SessionFolder
from service.project_kit import environment, make_project, novacore, user_config
from service.turns_kit import results

CASE = ("cases", "agent", "P03_spill_names_and_place")


@pytest.fixture
def case(shared):
    folder = shared(*CASE)
    given = json.loads((folder / "input.json").read_text())
    facts = json.loads((folder / "expect.json").read_text())["facts"]
    return given["tool_use_ids"], {fact["id"]: fact.get("check", {}) for fact in facts}


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def spill(state, workspace, ids):
    """One session that spills a result for every id; gives the folder, artifacts and records."""
    folder = SessionFolder.create(state, {"cwd": str(workspace), "principal": "me"})
    made = []
    for id in ids:
        text = "x" * 60_000 + id
        artifact = folder.artifacts.put(id, text, tokens=20_000)
        data = {"call_id": id, "artifact": artifact.id, "sha256": artifact.sha256}
        folder.log.append("tool_result", data, by="tool", turn=1)
        made.append((id, text, artifact))
    return folder, made


@pytest.fixture
def spilled(isolated, workspace, case):
    folder, made = spill(isolated / "state", workspace, case[0])
    yield folder, made
    folder.close()


def test_f1_every_file_lies_in_the_sessions_folder(spilled):
    folder, made = spilled
    for _, text, artifact in made:
        assert artifact.path.resolve().parent == (folder.path / "tool-results").resolve()
        assert artifact.path.read_bytes() == text.encode()


def test_f2_every_result_has_a_file_of_its_own(spilled, case):
    _, made = spilled
    expected = case[1]["F2"]["distinct_files"]
    names = {unicodedata.normalize("NFC", a.path.name).casefold() for _, _, a in made}
    assert len(names) == expected == len(made)
    first, repeated = made[0], made[-1]
    assert first[0] == repeated[0]
    assert first[2].path.read_bytes() == first[1].encode()


def test_f3_names_are_portable(spilled, case):
    check = case[1]["F3"]
    for _, _, artifact in spilled[1]:
        assert re.fullmatch(check["name_regex"], artifact.path.name)
        assert artifact.path.name.split(".")[0].lower() not in check["not_in"]


def test_f4_the_ids_in_the_records_are_unchanged(isolated, spilled, case):
    folder, _ = spilled
    reader = SessionFolder.open(isolated / "state", folder.id, write=False)
    results = [event for event in reader.log.events if event.kind == "tool_result"]
    assert [event.data["call_id"] for event in results] == case[0]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_f5_modes_are_private_whatever_the_umask(isolated, workspace, case, umask):
    before = os.umask(umask)
    try:
        folder, made = spill(isolated / f"state-{umask}", workspace, case[0])
        folder.close()
    finally:
        os.umask(before)
    check = case[1]["F5"]
    for path in [folder.path, *folder.path.rglob("*")]:
        wanted = check["dir_mode"] if path.is_dir() else check["file_mode"]
        assert f"{path.stat().st_mode & 0o777:04o}" == wanted, path
    assert len(made) == len(case[0])


def test_f6_git_status_stays_clean(spilled, workspace):
    status = subprocess.run(
        ["git", "status", "--porcelain", "--ignored"],
        cwd=workspace, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert status.stdout == ""


def test_f7_the_store_reads_its_own_results_and_nothing_beside_them(isolated, spilled, workspace):
    folder, made = spilled
    other, theirs = spill(isolated / "state", workspace, ["toolu_other"])
    (folder.path / "credentials.txt").write_text("secret")
    for _, text, artifact in made:
        assert folder.artifacts.text(artifact.id) == text
    foreign = theirs[0][2]
    for name in (
        "../credentials",
        "credentials",
        foreign.id,
        str(foreign.path),
        f"../../{other.id}",
    ):
        with pytest.raises(ArtifactNotFound):
            folder.artifacts.text(name)
    other.close()


# --- the same through the command line -------------------------------------------------------

SHOW = """import json
import sys

print("x" * 60_000 + json.load(open({ids!r}))[int(sys.argv[1])])
"""


@pytest.fixture(scope="module")
def through(shared, tmp_path_factory):
    """The case's ids from a model over HTTP; afterwards it reads its results and what is beside."""
    given = json.loads((shared(*CASE) / "input.json").read_text())["tool_use_ids"]
    base = tmp_path_factory.mktemp("p03")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CONFIG", "CACHE"):
            patch.setenv(f"NOVACORE_{name}_DIR", str(base / name.lower()))
        patch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        user_config('[permissions]\nallow = ["python *"]\n')
        root = make_project(base / "repo")
        (base / "ids.json").write_text(json.dumps(given))
        (root / "show.py").write_text(SHOW.format(ids=str(base / "ids.json")))
        git(root, "add", "-A")
        git(root, "commit", "-qm", "show")
        other = SessionFolder.create(Path(base / "state"), {"principal": "me"})
        other.artifacts.put("toolu_other", "theirs " * 10_000, tokens=20_000)
        other.close()
        calls = [
            Turn((ToolUse("run", {"command": f"python show.py {n}"}, id=id),))
            for n, id in enumerate(given)
        ]
        reads = [
            lambda request: Turn.call(
                "read", path=str(newest(base) / "tool-results/toolu_01AbCdEf.txt")
            ),
            lambda request: Turn.call("read", path=str(newest(base) / "events.jsonl")),
            Turn.call(
                "read", path=str(base / f"state/sessions/{other.id}/tool-results/toolu_other.txt")
            ),
            lambda request: Turn.call("read", path=str(newest(base) / "tool-results")),
        ]
        with FakeServer(Scripted([*calls, *reads, Turn.say("done")])) as fake:
            done = novacore("ask", "Run them.", "--yes", cwd=root, env=environment(fake.url))
            requests = list(fake.requests)
        status = git(root, "status", "--porcelain", "--ignored")
        gone = novacore("sessions", "gc", newest(base).name, cwd=root, env=environment())
    return {
        "ids": given, "done": done, "requests": requests, "session": newest(base, other.id),
        "status": status, "gone": gone,
    }  # fmt: skip


def newest(base, but=""):
    sessions = [p for p in (base / "state/sessions").iterdir() if p.name != but]
    return max(sessions, key=lambda path: (path / "events.jsonl").stat().st_mtime)


def git(root, *words):
    who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    done = subprocess.run(
        ["git", *who, "-C", str(root), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_f1_f4_every_id_goes_back_as_it_came(through, shared):
    assert through["done"].returncode == 0, through["done"].stderr
    rules = load_rules(shared)
    for request in through["requests"]:
        assert rules(request.body) == []
    last = through["requests"][-1].body["messages"]
    uses = [b["id"] for m in last for b in m["content"] if b["type"] == "tool_use"]
    # Only an id that was there before gets a number: a provider refuses one twice.
    assert uses[: len(through["ids"]) - 1] == through["ids"][:-1]
    assert uses[len(through["ids"]) - 1] == f"{through['ids'][-1]}_2"


def test_f6_git_sees_nothing_of_it(through):
    assert through["status"] == ""


def test_f7_the_agent_reads_its_own_results_and_nothing_beside_them(through):
    answers = results(through["requests"][-1].body)
    own, log, foreign, folder = list(answers.values())[-4:]
    assert not own[1]
    assert "xxxx" in own[0]
    for text, is_error in (log, foreign, folder):
        assert is_error
        assert "NovaCore's own folders" in text or "folder" in text
        assert "theirs" not in text


def test_f8_a_command_removes_the_spilled_texts_of_a_session(through):
    assert through["gone"].returncode == 0, through["gone"].stderr
    assert through["gone"].stdout.startswith(f"{len(through['ids'])} files of 1 session")
    assert list((through["session"] / "tool-results").iterdir()) == []
    assert (through["session"] / "events.jsonl").exists()
