"""Session folders: ids, one writer, and the list that is derived from the logs."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys

import pytest

from novacore.errors import NewerLog, SessionLocked, SessionNotFound, StoreError, UsageError
from novacore.store.folder import SessionFolder, find_session, list_sessions
from novacore.store.locks import is_locked

FIRST = {"cwd": "/w", "principal": "me", "repository": "r1", "model": "m", "mode": "ask"}


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def session(state, text="Fix the parser\nplease", now=1_790_000_000.0, **first):
    folder = SessionFolder.create(state, FIRST | first, clock=lambda: now)
    folder.log.append("user", {"text": text, "source": "typed"}, by="user", turn=1)
    folder.close()
    return folder


def test_a_new_session_is_private_and_begins_with_its_record(state):
    folder = SessionFolder.create(state, FIRST)
    (event,) = folder.log.events
    assert (event.kind, event.data["session_id"], event.data["format"]) == ("session", folder.id, 1)
    assert event.data["principal"] == "me"
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert (folder.path / "events.jsonl").stat().st_mode & 0o777 == 0o600
    folder.close()


def test_ids_sort_by_time_and_a_unique_beginning_opens(state):
    old, new = session(state, now=1_790_000_000.0), session(state, now=1_790_100_000.0)
    assert old.id < new.id
    assert find_session(state, new.id[:8]) == new.path
    assert SessionFolder.open(state, old.id, write=False).log.events == old.log.events
    with pytest.raises(UsageError, match="2 sessions begin"):
        find_session(state, "2026")


@pytest.mark.parametrize("id", ["", "zzz", "../x", "/etc", "A\0", "x" * 99])
def test_an_unknown_or_hostile_id_is_not_found(state, id):
    session(state)
    with pytest.raises(SessionNotFound):
        SessionFolder.open(state, id)


def test_a_second_writer_is_refused_and_may_read(state):
    folder = SessionFolder.create(state, FIRST)
    assert is_locked(folder.path)
    with pytest.raises(SessionLocked, match="another process"):
        SessionFolder.open(state, folder.id)
    reader = SessionFolder.open(state, folder.id, write=False)
    with pytest.raises(SessionLocked):
        reader.log.append("user", {}, by="user", turn=1)
    folder.close()
    assert not is_locked(folder.path)
    SessionFolder.open(state, folder.id).close()


def test_the_lock_of_a_killed_process_is_taken_over(state):
    code = (
        "import sys, pathlib, time\n"
        "from novacore.store.folder import SessionFolder\n"
        "folder = SessionFolder.create(pathlib.Path(sys.argv[1]), {})\n"
        "print(folder.id, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(state)], stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            id = holder.stdout.readline().strip()
            with pytest.raises(SessionLocked):
                SessionFolder.open(state, id)
        finally:
            holder.send_signal(signal.SIGKILL)
    folder = SessionFolder.open(state, id)
    assert [event.kind for event in folder.log.events] == ["session"]
    folder.close()


def test_a_failed_open_gives_the_lock_back_and_writes_nothing(state):
    folder = session(state)
    log = folder.path / "events.jsonl"
    later = log.read_bytes().replace(b'"v":1', b'"v":2')
    log.write_bytes(later)
    with pytest.raises(NewerLog):
        SessionFolder.open(state, folder.id)
    assert log.read_bytes() == later
    assert not is_locked(folder.path)
    log.unlink()
    with pytest.raises(StoreError):
        SessionFolder.open(state, folder.id)
    assert not log.exists()


def test_leftovers_of_a_killed_process_are_swept(state):
    folder = session(state)
    folder.artifacts.put("call", "text")
    left = folder.path / "tool-results" / ".tmp-0123"
    left.write_text("half")
    again = SessionFolder.open(state, folder.id)
    assert not left.exists()
    assert again.artifacts.ids() == ("call",)
    again.close()


def test_the_key_is_kept_and_private(state):
    folder = SessionFolder.create(state, FIRST)
    key = folder.key()
    folder.close()
    again = SessionFolder.open(state, folder.id)
    assert again.key() == key
    assert len(key) == 32
    assert (folder.path / "key").stat().st_mode & 0o777 == 0o600
    again.close()


def test_the_list_shows_what_the_log_says_newest_first(state):
    session(state, "old", now=1_790_000_000.0)
    session(state, "x" * 500, now=1_790_100_000.0, model="n")
    new, old = list_sessions(state)
    assert (old.title, old.model, old.repository, old.turns, old.events) == ("old", "m", "r1", 1, 2)
    assert (old.created, old.last_seq) == ("2026-09-21T14:13:20.000Z", 2)
    assert (len(new.title), new.model) == (80, "n")


def test_the_list_is_filtered_by_principal_and_repository(state):
    mine, other = session(state), session(state, principal="other", repository="r2")
    assert [m.id for m in list_sessions(state, principal="me")] == [mine.id]
    assert [m.id for m in list_sessions(state, repository="r2")] == [other.id]
    assert list_sessions(state, principal="nobody") == []
    assert list_sessions(state.parent / "absent") == []


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", '{"id": "other"}', "\0\0", '{"bytes": "x"}'],
)
def test_a_missing_or_damaged_meta_is_made_again(state, damage):
    folder = session(state)
    (before,) = list_sessions(state)
    meta = folder.path / "meta.json"
    meta.write_text(damage) if damage else meta.unlink()
    assert list_sessions(state) == [before]
    assert json.loads(meta.read_text())["id"] == folder.id


def test_meta_follows_the_log_without_reading_it_again(state, monkeypatch):
    folder = SessionFolder.create(state, FIRST)
    assert folder.meta.events == 1
    folder.log.append("user", {"text": "hello"}, by="user", turn=1)
    # Were the first record read again, it would change what is shown.
    raw = (folder.path / "events.jsonl").read_bytes()
    (folder.path / "events.jsonl").write_bytes(raw.replace(b'"me"', b'"no"'))
    meta = folder.meta
    assert (meta.events, meta.title, meta.principal) == (2, "hello", "me")
    folder.close()


def test_damage_is_listed_in_words(state):
    folder = session(state)
    log = folder.path / "events.jsonl"
    log.write_bytes(log.read_bytes() + b"\0\0\n" + b"torn")
    (meta,) = list_sessions(state)
    assert meta.damaged == ("line 3: filled with NUL bytes",)
    assert meta.events == 2


def test_one_bad_session_does_not_hide_the_others(state):
    good, bad = session(state), session(state)
    (bad.path / "events.jsonl").unlink()
    (state / "sessions" / "not a session").mkdir()
    listed = {meta.id: meta for meta in list_sessions(state)}
    assert set(listed) == {good.id, bad.id}
    assert "cannot be read" in listed[bad.id].damaged[0]


def test_a_disk_that_refuses_keeps_the_session_going(state, refusing):
    folder = SessionFolder.create(state, FIRST)
    with refusing(errno.ENOSPC):
        folder.log.append("user", {"text": "still here"}, by="user", turn=1, sync=True)
        digest = folder.snapshots.put({"text": "seen"})
        folder.snapshots.append_request({"request": 1, "blob": digest})
        folder.reasoning.put("p", "m", "h", [{"index": 0, "data": {"x": 1}}])
        artifact = folder.artifacts.put("call", "text")
        assert folder.log.events[-1].data["text"] == "still here"
        assert folder.snapshots.get(digest) == {"text": "seen"}
        assert folder.reasoning.get("p", "m", "h") == ({"index": 0, "data": {"x": 1}},)
        assert not artifact.stored
        assert len(folder.key()) == 32
    folder.close()
    again = SessionFolder.open(state, folder.id)
    assert [event.kind for event in again.log.events] == ["session", "user"]
    assert again.artifacts.text("call") == "text"
    again.close()


def test_many_sessions_are_listed_from_their_meta_alone(state):
    folder = session(state)
    meta = (folder.path / "meta.json").read_text()
    log = (folder.path / "events.jsonl").read_bytes()
    for number in range(300):
        id = f"20260101-000000-{number:04d}"
        copy = state / "sessions" / id
        copy.mkdir()
        (copy / "meta.json").write_text(meta.replace(folder.id, id))
        (copy / "events.jsonl").write_bytes(b"\0" * len(log))
    listed = list_sessions(state)
    assert len(listed) == 301
    assert {m.title for m in listed} == {"Fix the parser please"}
    assert not any(m.damaged for m in listed)


def test_names_of_earlier_artifacts_are_never_given_again(state):
    folder = SessionFolder.create(state, FIRST)
    made = folder.artifacts.put("call", "first")
    folder.log.append("spill", {"artifact": made.id}, by="host", turn=1)
    folder.close()
    os.unlink(made.path)  # noqa: PTH108
    again = SessionFolder.open(state, folder.id)
    assert again.artifacts.put("call", "second").id != made.id
    again.close()
