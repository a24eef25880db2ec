"""P03: hostile or oversized tool ids, and where the file lands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import unicodedata

import pytest

from novacore.errors import ArtifactNotFound
from novacore.store.folder import SessionFolder

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
