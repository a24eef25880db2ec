"""kill -9 at random moments over 200 turns of one session: nothing is lost, nothing is repeated."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading

import pytest

from engine.wire import load_rules
from fakellm import FakeServer, Text, Thinking, ToolUse, Turn
from novacore.store.folder import SessionFolder
from service.project_kit import environment, json_lines, make_project, sessions_folder, user_config

pytestmark = pytest.mark.soak

TURNS = int(os.environ.get("SOAK_TURNS", "200"))
SEED = int(os.environ.get("SOAK_SEED", "1"))
WINDOW = 40_000
"""Small, so that there are boundaries too."""
RULE = "You must never touch migrations/."
APPEND = """import pathlib, sys, time
with pathlib.Path("effects.txt").open("a") as file:
    file.write(sys.argv[1] + "\\n")
print(f"appended {sys.argv[1]}", flush=True)
time.sleep(0.1)
"""


class Model:
    """Has each turn's number appended to a file, once, and never asks for the same one again.

    So a number that stands there twice was repeated by the program.
    """

    def __init__(self):
        self.asked = threading.Event()
        self.called = set()

    def __call__(self, request):
        self.asked.set()
        number = max(
            int(n) for n in re.findall(r"Take number (\d+)\.", request.rendered().decode())
        )
        if number in self.called:
            return Turn((Thinking("It was called."), Text(f"Number {number} is dealt with.")))
        self.called.add(number)
        calls = (
            ToolUse("read", {"path": "calc.py"}),
            ToolUse("run", {"command": f"python append.py {number}"}),
        )
        return Turn((Thinking(f"Number {number}."), Text("I append it."), *calls), chunk_chars=6)


class Killer:
    """Runs the command and kills it at a random moment; some are left alone."""

    def __init__(self, project, fake, model, seed):
        self.project = project
        self.env = environment(fake.url)
        self.model = model
        self.random = random.Random(seed)
        self.killed = 0

    def ask(self, number, session):
        """One turn; the exit code, and the last record that the command had told of."""
        self.model.asked.clear()
        words = ["ask", f"Take number {number}. {RULE}", "--yes", "--json"]
        words += ["--session", session] if session else []
        command = [sys.executable, "-P", "-m", "novacore", *words]
        with subprocess.Popen(
            command, cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        ) as process:  # fmt: skip
            timer = self._set(process)
            out, err = process.communicate(timeout=120)
            if timer is not None:
                timer.cancel()
        said = [line for line in out.decode().split("\n")[:-1] if line.endswith("}")]
        seqs = [row["seq"] for row in json_lines("\n".join(said)) if "seq" in row]
        return process.returncode, max(seqs, default=0), err.decode()

    def _set(self, process):
        kind = self.random.random()
        if kind < 0.25:
            return None
        if kind < 0.4:
            timer = threading.Timer(self.random.uniform(0, 2), _kill, [process])
        else:
            # From the first request on, where something happens all the time.
            moment = self.random.uniform(0, 0.6)
            timer = threading.Thread(target=self._when_asked, args=(process, moment), daemon=True)
            timer.cancel = lambda: None
        timer.start()
        return timer

    def _when_asked(self, process, moment):
        if self.model.asked.wait(20):
            threading.Timer(moment, _kill, [process]).start()


def _kill(process):
    """The command and all that it started, as a machine that loses its power would."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def folder_of(session):
    return SessionFolder.open(sessions_folder().parent, session, write=False)


def test_kill_loop(tmp_path, shared, capsys):
    user_config('[permissions]\nallow = ["python *"]\n')
    project = make_project(tmp_path / "project")
    (project / "append.py").write_text(APPEND)
    effects = project / "effects.txt"
    effects.touch()
    model, check = Model(), load_rules(shared)
    session, known, checked = "", (), 0
    with FakeServer(model, window=WINDOW) as fake:
        killer = Killer(project, fake, model, SEED)
        for number in range(TURNS):
            code, acknowledged, said = killer.ask(number, session)
            assert code in (0, -9), said
            killer.killed += code == -9
            if not session:
                session = next((f.name for f in sessions_folder().glob("*")), "")
            if not session:
                continue
            log = folder_of(session).log
            events = tuple((event.seq, event.id, event.kind) for event in log.events)
            assert acknowledged <= events[-1][0], "an event that was told of is lost"
            assert events[: len(known)] == known, "an event changed"
            known = events
            written = effects.read_text().split()
            assert len(written) == len(set(written)), "a side effect was repeated"
            done = committed(log.events)
            assert done <= set(written)
            for request in fake.requests[checked:]:
                assert check(request.body) == []
            checked = len(fake.requests)
        boundaries = sum(kind == "compaction" for _, _, kind in known)
        breaks = sum(not request.appended_only for request in fake.requests[1:])
        # A boundary that was made just before a kill may not have been sent from.
        assert breaks <= boundaries
    with capsys.disabled():
        print(
            f"\n{TURNS} turns, {killer.killed} killed, {len(known)} events, "
            f"{len(written)} side effects, {len(fake.requests)} requests, {boundaries} boundaries"
        )
    if TURNS >= 100:
        assert killer.killed > TURNS / 4
        assert len(written) > TURNS / 4


def committed(events):
    """Numbers whose command the log says to have ended well."""
    found = set()
    for event in events:
        data = event.data
        if event.kind == "tool_result" and data.get("command") and data.get("exit_code") == 0:
            found |= set(re.findall(r"append\.py (\d+)", str(data["command"])))
    return found
