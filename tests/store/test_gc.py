"""Retention: content goes, what happened stays."""

from __future__ import annotations

import os

import pytest

from novacore.errors import ArtifactNotFound, SessionLocked, SessionNotFound
from novacore.store.folder import SessionFolder, list_sessions
from novacore.store.gc import collect, remove_spilled

NOW = 1_790_000_000.0
DAY = 86_400


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def session(state, age_days):
    folder = SessionFolder.create(state, {}, clock=lambda: NOW - age_days * DAY)
    folder.artifacts.put("call", "x" * 1000)
    digest = folder.snapshots.put({"text": "seen"})
    folder.snapshots.append_request({"request": 1, "blob": digest})
    folder.reasoning.put("p", "m", "h", [{"index": 0, "data": {}}])
    folder.close()
    return folder


def test_old_sessions_lose_content_and_keep_their_records(state):
    old, young = session(state, 31), session(state, 29)
    done = collect(state, days=30, now=NOW)
    assert (done.sessions, done.files, done.busy) == ((old.id,), 3, ())
    assert done.bytes > 1000
    again = SessionFolder.open(state, old.id, write=False)
    assert [event.kind for event in again.log.events] == ["session"]
    assert again.snapshots.requests()[0]["request"] == 1
    with pytest.raises(ArtifactNotFound):
        again.artifacts.text("call")
    assert SessionFolder.open(state, young.id, write=False).artifacts.text("call") == "x" * 1000
    assert {meta.id for meta in list_sessions(state)} == {old.id, young.id}
    assert collect(state, days=30, now=NOW).files == 0


def test_a_session_that_is_being_written_is_left_alone(state):
    folder = session(state, 99)
    open_one = SessionFolder.open(state, folder.id)
    assert collect(state, now=NOW).busy == (folder.id,)
    with pytest.raises(SessionLocked):
        remove_spilled(state, folder.id)
    open_one.close()
    assert collect(state, now=NOW).sessions == (folder.id,)


def test_the_spilled_files_of_one_session_can_be_removed(state):
    folder, other = session(state, 0), session(state, 0)
    done = remove_spilled(state, folder.id)
    assert (done.sessions, done.files, done.bytes) == ((folder.id,), 1, 1000)
    assert list((folder.path / "tool-results").iterdir()) == []
    assert list((folder.path / "snapshots" / "blobs").iterdir()) != []
    assert other.artifacts.text("call") == "x" * 1000
    with pytest.raises(SessionNotFound):
        remove_spilled(state, "20000101-000000-none")
    assert len(list((state / "sessions").iterdir())) == 2


def test_links_are_neither_followed_nor_counted(state, tmp_path):
    folder = session(state, 99)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("keep")
    os.link(folder.path / "tool-results" / "call.txt", tmp_path / "fork.txt")
    (folder.path / "tool-results" / "link").symlink_to(outside / "precious")
    for path in (folder.path / "reasoning").iterdir():
        path.unlink()
    (folder.path / "reasoning").rmdir()
    (folder.path / "reasoning").symlink_to(outside)
    done = collect(state, now=NOW)
    assert (outside / "precious").read_text() == "keep"
    assert (tmp_path / "fork.txt").read_text() == "x" * 1000
    assert done.bytes < 1000
