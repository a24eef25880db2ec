"""Damage in the state folder: it is said, it is kept, and nothing else suffers from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from service.project_kit import (
    complaint,
    environment,
    make_project,
    novacore,
    sessions_folder,
)

TIMEOUT = 30


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A project with one session, made once and copied for each test."""
    base = tmp_path_factory.mktemp("made")
    make_project(base / "project")
    env = environment(NOVACORE_STATE_DIR=str(base / "state"))
    assert novacore("ask", "Where is gross?", cwd=base / "project", env=env).returncode == 0
    return base


@pytest.fixture
def project(made, tmp_path):
    shutil.copytree(made / "state", sessions_folder().parent)
    return shutil.copytree(made / "project", tmp_path / "project")


def session_of():
    (folder,) = sessions_folder().iterdir()
    return folder


def trace_of(path):
    found = path.lstat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def spoil(path, how):
    path.unlink()
    match how:
        case "garbage":
            path.write_bytes(bytes(range(256)) * 20)
        case "foreign":
            path.write_text('{"type": "user"}\n[1, 2]\nnull\n')
        case "empty":
            path.touch()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "nested":
            path.write_text("[" * 200_000)
        case "senseless":
            rows = (
                '{"v":1,"seq":%d,"id":"%d","ts":"","kind":"tool_result","by":"","turn":1,"data":{}}'
            )
            path.write_text("".join(rows % (n, n) + "\n" for n in range(3)))


@pytest.mark.parametrize("how", ["garbage", "foreign", "empty", "pipe", "device", "senseless"])
def test_a_spoiled_log_is_said_and_kept_and_nothing_else_suffers(project, how):
    folder = session_of()
    log = folder / "events.jsonl"
    spoil(log, how)
    before = trace_of(log)
    done = novacore("ask", "More?", "--session", folder.name, cwd=project, timeout=TIMEOUT)
    complaint(done, 1)
    assert trace_of(log) == before, "it is left for whoever can mend it"
    listed = novacore("sessions", "list", cwd=project, timeout=TIMEOUT)
    assert listed.returncode == 0
    if how in ("garbage", "foreign", "pipe", "device"):
        assert folder.name in listed.stdout + listed.stderr
    assert novacore("ask", "Where is net?", cwd=project, timeout=TIMEOUT).returncode == 0


@pytest.mark.parametrize("how", ["garbage", "empty", "pipe", "nested"])
def test_spoiled_helpers_of_the_state_folder_cost_nothing(project, how):
    folder = session_of()
    state = folder.parent.parent
    for path in (
        folder / "meta.json",
        folder / "key",
        state / "trust.json",
        state / "permissions.json",
        state / "faults.jsonl",
    ):
        path.touch()
        spoil(path, how)
    for words in (
        ("sessions", "list"),
        ("context", folder.name),
        ("plugins",),
        ("ask", "And net?", "--session", folder.name),
    ):
        done = novacore(*words, cwd=project, timeout=TIMEOUT)
        assert done.returncode == 0, done.stderr


def test_a_session_of_a_repository_that_lost_its_id_can_be_read(tmp_path):
    project = make_project(tmp_path / "project")
    assert novacore("ask", "Where is gross?", cwd=project).returncode == 0
    folder = session_of()
    (project / ".git" / "novacore-id").write_text("spoiled\n")
    done = novacore("ask", "More?", "--session", folder.name, cwd=project)
    assert f"novacore sessions show {folder.name}" in complaint(done, 2)
    assert "Where is gross?" in novacore("sessions", "show", folder.name, cwd=project).stdout


def test_several_at_once_in_a_new_state_folder(tmp_path):
    project = make_project(tmp_path / "project")
    command = [sys.executable, "-P", "-m", "novacore", "ask", "Where is gross?"]
    started = [
        subprocess.Popen(
            command, cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=-3
        )
        for _ in range(4)
    ]
    assert [process.wait(TIMEOUT) for process in started] == [0, 0, 0, 0]
    firsts = [log.read_text().split("\n")[0] for log in sessions_folder().glob("*/events.jsonl")]
    assert len(firsts) == 4
    assert len({json.loads(first)["data"]["repository"] for first in firsts}) == 1
