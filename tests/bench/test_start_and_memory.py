"""How fast the command starts, and how much memory a task of thirty steps takes."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

import pytest

from service.project_kit import peak_of
from service.thirty_steps import carried_out

pytestmark = pytest.mark.bench

MEGABYTE = 2**20
RUNS = 9


def seconds(*words):
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def test_start(capsys):
    words = {
        "python -c pass": ("-c", "pass"),
        "novacore --version": ("-P", "-m", "novacore", "--version"),
        "novacore --help": ("-P", "-m", "novacore", "--help"),
        "novacore plugins --no-load": ("-P", "-m", "novacore", "plugins", "--no-load"),
    }
    # In turns, so that a busy moment of the machine hits all of them.
    times = [{name: seconds(*call) for name, call in words.items()} for _ in range(RUNS)]
    found = {name: median(row[name] for row in times) for name in words}
    bare = found["python -c pass"]
    with capsys.disabled():
        print()
        for name, value in found.items():
            print(f"{name:28} {value * 1_000:6.0f} ms   {value / bare:5.1f} x a bare start")
    assert found["novacore --version"] <= 10 * bare


def test_resident_memory(tmp_path_factory, capsys):
    code = "import sys; sys.stdout.write('up\\n'); sys.stdout.flush(); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as bare:
        bare.stdout.readline()
        floor = peak_of(bare.pid)
        bare.communicate()
    if not floor:
        pytest.skip("this system does not say how much memory a process takes")
    peaks = [carried_out(tmp_path_factory.mktemp("memory"))["peak"] for _ in range(3)]
    with capsys.disabled():
        print(f"\nresident, bare Python         {floor / MEGABYTE:6.0f} MB")
        print(f"resident, thirty steps        {median(peaks) / MEGABYTE:6.0f} MB")
    assert median(peaks) < 150 * MEGABYTE
