"""Faults are kept on disk for 30 days, and a disk that refuses costs the file alone."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta

from host.plugin_folder import asked
from novacore.host import HostConfig, list_without_loading, read_faults


class Mine:
    def spill(self, request):
        raise ValueError("first line\nsecond \x1b[31mline\x07 \udc80")


def line(days, plugin="old"):
    time = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    fields = {"plugin": plugin, "hook": "spill", "reason": "raised", "detail": "d", "time": time}
    return json.dumps({**fields, "of_a_later_release": 1}) + "\n"


async def test_a_fault_is_a_private_line_with_all_that_its_author_needs(hosts, tmp_path):
    file = tmp_path / "state" / "faults.jsonl"
    host = hosts(faults_file=file)
    await host.register(Mine, "mine")
    await asked(host, "spill", turn=3)
    (fault,) = read_faults(file)
    assert (fault.plugin, fault.hook, fault.session, fault.turn) == ("mine", "spill", "s1", 3)
    assert fault.detail == "ValueError: first line second [31mline"
    assert "test_faults.py" in fault.trace
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (fault,) == host.drain_faults()
    (status,) = host.statuses()
    assert (status.faults, "first line" in status.last_fault) == (1, True)


async def test_what_is_older_than_30_days_goes_and_damage_is_passed_over(hosts, tmp_path, folder):
    file = tmp_path / "faults.jsonl"
    file.write_text(line(40) + line(29) + "{damaged\n[]\n" + line(1))
    hosts(faults_file=file)
    assert len(file.read_text().splitlines()) == 2
    folder.add("old", "raise SystemExit")
    listed = list_without_loading(HostConfig(), faults_file=file, entry_points=folder.points())
    assert [(s.name, s.faults) for s in listed] == [("old", 2)]


async def test_the_file_stays_bounded(hosts, tmp_path):
    file = tmp_path / "faults.jsonl"
    file.write_text(line(1) * 30_000)
    assert file.stat().st_size > 4_000_000
    hosts(faults_file=file)
    assert file.stat().st_size < 2_100_000
    assert len(read_faults(file)) > 1_000


async def test_a_disk_that_refuses_is_said_once_and_nothing_is_lost(hosts, tmp_path):
    file = tmp_path / "folder_in_the_way"
    file.mkdir()
    host = hosts(faults_file=file / "faults.jsonl" / "more")
    (file / "faults.jsonl").write_text("a file where a folder is needed")
    await host.register(Mine, "mine")
    for _ in range(2):
        await asked(host, "spill")
    assert len(host.drain_faults()) == 2
    assert sum("not kept on disk" in words for words in host.drain_notices()) == 1
    assert host.drain_notices() == ()
    assert host.statuses()[0].faults == 2
