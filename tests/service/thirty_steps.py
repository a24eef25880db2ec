"""The script of a whole task: thirty steps, as a model that knows what to do would take them."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from fakellm import FakeServer, Scripted, Text, Thinking, ToolUse, Turn
from service.project_kit import environment, make_project, sessions_folder, user_config, watched

QUESTION = "The gross price is wrong. Fix it."
ALLOWED = '[permissions]\nallow = ["python *", "git status *"]\n'
"""The user's configuration for it."""

PIECE = 24_000
"""Bytes of one read-back."""


def version_in(request):
    """The version that the newest read named."""
    (text,) = request.tool_results.values()
    return re.search(r"version ([0-9a-f]{16})", text)[1]


def artifact_in(request):
    (text,) = request.tool_results.values()
    return re.search(r"artifact:([A-Za-z0-9._-]+)", text)[1]


def script():
    """Thirty turns: reads, noise, reading it back, an edit, a failing and a passing test run."""
    memory = {}

    def edit(request):
        version = version_in(request)
        change = {"old": "net(price, count) + rate", "new": "net(price, count) * (1 + rate)"}
        return Turn.call("edit", path="calc.py", version=version, edits=[change])

    def first_piece(request):
        memory["artifact"] = artifact_in(request)
        return piece(0)(request)

    def piece(index):
        start = index * PIECE

        def turn(request):
            return Turn.call(
                "read",
                path=f"artifact:{memory['artifact']}",
                start_byte=start,
                end_byte=start + PIECE,
            )

        return turn

    tests = "python -m pytest -q -p no:cacheprovider"
    return [
        Turn((Thinking("Look first."), Text("I look."), ToolUse("read", {"path": "calc.py"}))),
        Turn.call("find", name="gross"),
        Turn.call("read", path="test_calc.py", start_line=1, end_line=5),
        Turn((ToolUse("glob", {"pattern": "*.py"}), ToolUse("search", {"pattern": "rate"}))),
        Turn.call("plan", items=[{"text": "fix the tax", "status": "doing"}]),
        Turn.call("run", command="python noise.py"),
        first_piece,
        *[piece(i) for i in range(1, 13)],
        Turn.call("run", command=tests),
        Turn(
            (
                Thinking("The tax is added once."),
                ToolUse("read", {"path": "calc.py", "symbol": "gross"}),
            )
        ),
        edit,
        Turn.call("run", command=tests),
        Turn.call("read", path="calc.py", symbol="gross"),
        Turn.call("search", pattern="checksum", path="noise.py"),
        Turn.call("read", path="noise.py", outline=True),
        Turn.call("history", query="tax"),
        Turn.call("plan", items=[{"text": "fix the tax", "status": "done"}]),
        Turn.call("run", command="git status --short"),
        Turn.say("Fixed: the tax is now part of every piece (`calc.py:9-11`). Both tests pass."),
    ]


def carried_out(base):
    """The task through the command line, in folders below ``base``.

    Gives the finished process, its requests, the folders of project and session, and the largest
    resident memory in bytes.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CONFIG", "CACHE"):
            patch.setenv(f"NOVACORE_{name}_DIR", str(base / name.lower()))
        user_config(ALLOWED)
        patch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        project = make_project(base / "project")
        with FakeServer(Scripted(script())) as fake:
            words = ("ask", QUESTION, "--yes", "--json")
            done, peak = watched(*words, cwd=project, env=environment(fake.url))
            requests = list(fake.requests)
        (session,) = sessions_folder().iterdir()
    return {
        "done": done,
        "requests": requests,
        "project": project,
        "session": session,
        "base": base,
        "peak": peak,
    }
