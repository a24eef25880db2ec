"""The event log: what is appended is read back, and damage costs the damaged record alone."""

from __future__ import annotations

import errno
import json
import os
import threading
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.errors import NewerLog, SessionLocked, StoreError
from novacore.store.log import EventLog

TEXTS = st.text(st.characters(), max_size=30)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def filled(path, count=3):
    log = EventLog.create(path)
    for number in range(count):
        log.append("user", {"text": f"message {number} 你好\u2028 next"}, by="user", turn=number)
    return log


def test_a_record_has_the_documented_form(tmp_path):
    filled(tmp_path / "events.jsonl", 1)
    record = json.loads((tmp_path / "events.jsonl").read_bytes())
    assert list(record) == ["v", "seq", "id", "ts", "kind", "by", "turn", "data"]
    assert (record["v"], record["seq"], record["kind"], record["by"]) == (1, 1, "user", "user")
    assert UUID(record["id"]).version == 7
    assert record["ts"].endswith("Z")


def test_events_come_back_equal_with_their_offsets(tmp_path):
    log = filled(tmp_path / "events.jsonl")
    again = EventLog.open(log.path)
    assert again.events == log.events
    assert again.skipped == ()
    assert [log.read_at(event.offset) for event in log.events] == log.events


@given(data=st.dictionaries(TEXTS, JSONS, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_data_is_the_same_in_memory_and_after_a_load(tmp_path_factory, data):
    log = EventLog.create(tmp_path_factory.mktemp("log") / "events.jsonl")
    log.append("user", data, by="user", turn=1)
    assert EventLog.open(log.path).events == log.events
    assert log.path.read_bytes().count(b"\n") == 1


def test_a_lone_surrogate_is_replaced_and_the_rest_kept(tmp_path):
    log = EventLog.create(tmp_path / "events.jsonl")
    event = log.append("user", {"text": "a\ud800b 😀"}, by="user", turn=1)
    assert event.data["text"] == "a\ufffdb 😀"


@given(at=st.integers(0, 10_000), data=st.data())
@settings(max_examples=80, deadline=None)
def test_a_log_cut_off_anywhere_loads_and_goes_on(tmp_path_factory, at, data):
    path = tmp_path_factory.mktemp("log") / "events.jsonl"
    whole = filled(path).events
    raw = path.read_bytes()
    path.write_bytes(raw[: at % (len(raw) + 1)])
    log = EventLog.open(path)
    assert log.events == whole[: len(log.events)]
    assert len(log.skipped) <= 1
    complete = raw[: at % (len(raw) + 1)].count(b"\n")
    assert len(log.events) >= complete
    added = log.append("user", {"text": "after the crash"}, by="user", turn=9)
    assert EventLog.open(path).events == [*log.events[:-1], added]


@given(at=st.integers(0, 10_000), byte=st.integers(0, 255))
@settings(max_examples=150, deadline=None)
def test_a_byte_changed_anywhere_costs_one_record_at_most(tmp_path_factory, at, byte):
    path = tmp_path_factory.mktemp("log") / "events.jsonl"
    whole = filled(path, 4).events
    raw = bytearray(path.read_bytes())
    # The last record decides whether a later release wrote here; the others are damaged freely.
    at %= whole[-1].offset
    raw[at] = byte
    path.write_bytes(raw)
    log = EventLog.open(path)
    hit = next(i for i, event in reversed(list(enumerate(whole))) if event.offset <= at)
    untouched = [event for i, event in enumerate(whole) if i != hit]
    assert [event for event in log.events if event in untouched] == untouched
    added = log.append("user", {"text": "next"}, by="user", turn=9)
    assert EventLog.open(path).events[-1] == added


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\0" * 4096, "NUL"),
        (b"", "empty"),
        (b'{"v":1,"seq":2', "not a whole record"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[1]", "not a record"),
        (b'{"v":1,"seq":true,"id":"","ts":"","kind":"","by":"","turn":0,"data":{}}', "seq"),
        (b"[" * 100_000, "not a whole record"),
        (b'{"v":0,"seq":2,"id":"","ts":"","kind":"","by":"","turn":0,"data":{}}', "version 0"),
    ],
)
def test_a_damaged_line_is_reported_with_its_number(tmp_path, line, reason):
    log = filled(tmp_path / "events.jsonl", 2)
    first, second = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(first + line + b"\n" + second)
    again = EventLog.open(log.path)
    assert [event.seq for event in again.events] == [1, 2]
    assert [skipped.line for skipped in again.skipped] == [2]
    assert reason in again.skipped[0].reason


@pytest.mark.parametrize("between", [b"", b"x", b"\0", b'{"v":1,"se'])
def test_two_records_in_one_line_are_both_found(tmp_path, between):
    log = filled(tmp_path / "events.jsonl", 3)
    first, second, third = log.path.read_bytes().splitlines()
    log.path.write_bytes(first + between + second + b"\n" + third + b"\n")
    again = EventLog.open(log.path)
    assert [event.seq for event in again.events][-2:] == [2, 3]
    assert (len(between) < 2) == (again.events[0].seq == 1)
    assert [again.read_at(e.offset).id for e in again.events] == [e.id for e in again.events]
    assert [skipped.line for skipped in again.skipped] == [1]


def test_unknown_kinds_are_kept(tmp_path):
    log = EventLog.create(tmp_path / "events.jsonl")
    log.append("of_a_later_release", {"x": 1}, by="host", turn=0)
    assert EventLog.open(log.path).events[0].kind == "of_a_later_release"


def test_a_later_version_is_refused_and_nothing_is_written(tmp_path):
    log = filled(tmp_path / "events.jsonl", 2)
    raw = log.path.read_bytes()
    later = raw + raw.splitlines()[1].replace(b'"v":1', b'"v":2') + b"\n"
    log.path.write_bytes(later)
    with pytest.raises(NewerLog, match="update NovaCore"):
        EventLog.open(log.path)
    assert log.path.read_bytes() == later


def test_one_later_version_between_older_ones_is_damage(tmp_path):
    log = filled(tmp_path / "events.jsonl", 3)
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(lines[0] + lines[1].replace(b'"v":1', b'"v":7') + lines[2])
    again = EventLog.open(log.path)
    assert [event.seq for event in again.events] == [1, 3]
    assert "version 7" in again.skipped[0].reason


def test_ids_and_sequence_rise_when_the_clock_goes_back(tmp_path):
    times = iter([1000.0] * 6 + [5.0] * 100)
    log = EventLog.create(tmp_path / "events.jsonl", clock=lambda: next(times))
    for _ in range(5):
        log.append("user", {}, by="user", turn=1)
    again = EventLog.open(log.path, clock=lambda: 1.0)
    again.append("user", {}, by="user", turn=1)
    ids = [event.id for event in again.events]
    assert ids == sorted(set(ids))
    assert [event.seq for event in again.events] == [1, 2, 3, 4, 5, 6]


def test_many_threads_lose_and_mix_nothing(tmp_path):
    log = EventLog.create(tmp_path / "events.jsonl")

    def write(name):
        for number in range(50):
            log.append("user", {"text": f"{name}-{number}" * 50}, by="user", turn=1)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = EventLog.open(log.path)
    assert again.events == log.events
    assert [event.seq for event in again.events] == list(range(1, 201))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_refuses_costs_nothing_but_one_warning(tmp_path, refusing, code):
    log = filled(tmp_path / "events.jsonl", 1)
    before = log.path.read_bytes()
    with refusing(code, after=20):
        for number in range(3):
            log.append("user", {"text": f"kept {number}"}, by="user", turn=2, sync=True)
        assert log.refused is not None
        assert log.refused.reason == errno.errorcode[code]
        assert log.unwritten == 3
        assert [bool(log.take_warning()), bool(log.take_warning())] == [True, False]
        assert log.path.read_bytes() == before
    log.append("user", {"text": "the disk is back"}, by="user", turn=3)
    assert (log.unwritten, log.refused) == (0, None)
    again = EventLog.open(log.path)
    assert again.events == log.events
    assert again.skipped == ()


def test_a_partial_line_that_cannot_be_cut_off_is_fenced(tmp_path, monkeypatch, refusing):
    log = filled(tmp_path / "events.jsonl", 1)
    with refusing(errno.ENOSPC, after=20), monkeypatch.context() as disk:
        disk.setattr(os, "ftruncate", lambda handle, size: (_ for _ in ()).throw(OSError(5, "io")))
        log.append("user", {"text": "x"}, by="user", turn=2)
    assert log.flush()
    again = EventLog.open(log.path)
    assert again.events == log.events
    assert [skipped.line for skipped in again.skipped] == [2]


def test_a_failed_sync_is_written_again_and_counted_once(tmp_path, monkeypatch):
    log = filled(tmp_path / "events.jsonl", 1)
    with monkeypatch.context() as disk:
        broken = OSError(errno.EIO, "io")
        disk.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(broken))
        disk.setattr(os, "ftruncate", lambda handle, size: (_ for _ in ()).throw(broken))
        log.append("tool_started", {}, by="host", turn=1, sync=True)
        assert log.unwritten == 1
    assert log.flush()
    assert EventLog.open(log.path).events[-1].id == log.events[-1].id
    assert len(EventLog.open(log.path).events) == 2


def test_a_log_opened_for_reading_is_never_written(tmp_path):
    log = filled(tmp_path / "events.jsonl")
    reader = EventLog.open(log.path, read_only=True)
    with pytest.raises(SessionLocked):
        reader.append("user", {}, by="user", turn=1)
    assert len(EventLog.open(log.path).events) == 3


def test_creating_over_a_log_and_reading_beside_a_record_are_refused(tmp_path):
    log = filled(tmp_path / "events.jsonl")
    with pytest.raises(StoreError):
        EventLog.create(log.path)
    for offset in (1, 10**9):
        with pytest.raises(StoreError, match="no record"):
            log.read_at(offset)
    with pytest.raises(StoreError):
        EventLog.open(tmp_path / "absent.jsonl")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_log_is_private_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        log = filled(tmp_path / "deep" / "session" / "events.jsonl", 1)
    finally:
        os.umask(before)
    assert log.path.stat().st_mode & 0o777 == 0o600
    assert log.path.parent.stat().st_mode & 0o777 == 0o700
