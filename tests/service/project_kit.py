"""A small real project to work on, and the command line run on it as a user would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CALC = '''"""Sums for an invoice."""


def net(price, count):
    """Price of all pieces without tax."""
    return price * count


def gross(price, count, rate=0.19):
    """Price of all pieces with tax."""
    return net(price, count) + rate
'''

TEST_CALC = """from calc import gross, net


def test_net():
    assert net(2, 3) == 6


def test_gross_adds_the_tax_to_every_piece():
    assert gross(10, 2, 0.5) == 30
"""

NOISE = """import sys

lines = [f"step {i:05d} copied block {i * 7919 % 99991:05d} in good order" for i in range(6900)]
lines[3100] = "ERROR: checksum of block 03100 does not match: expected 1f3a, got 77b0"
sys.stdout.write("\\n".join(lines) + "\\n")
"""


def make_project(folder: Path) -> Path:
    """A git repository with a module, its tests, and a noisy program."""
    folder.mkdir(parents=True)
    (folder / "calc.py").write_text(CALC)
    (folder / "test_calc.py").write_text(TEST_CALC)
    (folder / "noise.py").write_text(NOISE)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run([*git, "init", "-q", str(folder)], check=True)
    subprocess.run([*git, "-C", str(folder), "add", "-A"], check=True)
    subprocess.run([*git, "-C", str(folder), "commit", "-qm", "start"], check=True)
    return folder


def environment(fake_url: str = "", **more: str) -> dict[str, str]:
    """The user's shell: isolated folders, and a key when there is a fake server."""
    env = {**os.environ, **more}
    if fake_url:
        env |= {"ANTHROPIC_API_KEY": "sk-fake", "ANTHROPIC_BASE_URL": fake_url}
    return env


def novacore(*words, cwd, env=None, stdin=None, timeout=120):
    """Run the command line; gives the finished process with text output."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "novacore", *map(str, words)],
        cwd=cwd,
        env=env or environment(),
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def complaint(done, code):
    """The one line on stderr of a command that ended with ``code``."""
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("novacore: ")
    assert "Traceback" not in line
    assert "internal error" not in line
    return line


def watched(*words, cwd, env, timeout=120):
    """The same with its largest resident memory in bytes (0 where the system does not say)."""
    command = [sys.executable, "-P", "-m", "novacore", *words]
    with (
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
        subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err
        ) as process,
    ):
        peak, until = 0, time.monotonic() + timeout
        while process.poll() is None:
            peak = max(peak, peak_of(process.pid))
            if time.monotonic() > until:
                process.kill()
            time.sleep(0.02)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(
            command, process.returncode, out.read(), err.read()
        ), peak


def peak_of(pid) -> int:
    """Largest resident memory of a process so far, in bytes; what it started does not count."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def user_config(text: str) -> None:
    """Write the user's own configuration file."""
    folder = Path(os.environ["NOVACORE_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)


def json_lines(text: str) -> list[dict]:
    """Each line of output as JSON."""
    return [json.loads(line) for line in text.splitlines()]


def sessions_folder() -> Path:
    """Where the sessions of this test lie."""
    return Path(os.environ["NOVACORE_STATE_DIR"]) / "sessions"
