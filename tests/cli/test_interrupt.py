"""Ctrl-C with a real signal, at several moments."""

from __future__ import annotations

import json
import os
import signal

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")


def wait_for(stream, words):
    seen = b""
    while words not in seen:
        line = stream.readline()
        assert line, f"the process ended before it said {words!r}: {seen!r}"
        seen += line
    return seen


def test_the_first_cancels_the_turn_and_says_what_had_happened(start):
    process = start("ask", "please", "hang")
    wait_for(process.stderr, b"read")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted after 1 step" in err.decode()
    assert "read    a.py · 2 lines" in err.decode()
    assert "--session 019a0000-1111" in err.decode()
    assert b"Traceback" not in err


def test_a_machine_gets_its_result_line(start, valid):
    process = start("ask", "hang", "--json")
    first = wait_for(process.stdout, b'"finished"')
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    last = json.loads((first + out).splitlines()[-1])
    assert process.returncode == 130
    assert valid(last)["data"]["stopReason"] == "cancelled"
    assert last["data"]["exitCode"] == 130
    assert err == b""


def test_the_second_leaves_at_once_though_nothing_stops(start):
    process = start("ask", "stuck", "--json")
    wait_for(process.stdout, b'"user"')
    process.send_signal(signal.SIGINT)
    with pytest.raises(Exception, match="timed out"):
        process.wait(timeout=0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=5) == 130


def test_work_that_blocks_is_interrupted_too(start):
    process = start("find", "slow")
    wait_for(process.stdout, b"started")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == b""
