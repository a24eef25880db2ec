"""Signals of every kind: the log stays whole, and no command outlives the program."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fakellm import FakeServer, Scripted, Turn
from service.project_kit import environment, make_project, sessions_folder, user_config

TIMEOUT = 30


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


STUBBORN = "trap '' TERM HUP INT; sleep {0}; sleep {0}"


def running(seconds):
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = process.read_bytes()
            if seconds.encode() in words and b"pytest" not in words:
                found.append(process.parent.name)
    return found


def until(wanted):
    end = time.monotonic() + TIMEOUT
    while not wanted():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    ("number", "presses"),
    [(signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGHUP, 1), (signal.SIGINT, 2)],
)
def test_no_command_outlives_a_stop(project, number, presses):
    user_config("[permissions]\nallow = ['trap *', 'sleep *']\n")
    # Tests run side by side: each knows its own command by its length.
    seconds = f"47.{os.getpid()}{number:d}{presses}"
    with FakeServer(Scripted([Turn.call("run", command=STUBBORN.format(seconds))])) as fake:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "novacore", "ask", "Wait.", "--yes"],
            cwd=project,
            env=environment(fake.url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        until(lambda: running(seconds))
        for _ in range(presses):
            process.send_signal(number)
            time.sleep(0.004)
        _, err = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 130
        until(lambda: not running(seconds))
    assert b"Traceback" not in err
    (log,) = sessions_folder().glob("*/events.jsonl")
    kinds = [json.loads(line)["kind"] for line in log.read_text().splitlines()]
    assert "tool_started" in kinds
    assert kinds.count("tool_result") == 2 - presses
