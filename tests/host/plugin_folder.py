"""Plugins as a person would install them: real modules with real distributions, in a folder."""

from __future__ import annotations

import asyncio
import itertools
import logging
import textwrap
import time
from importlib.metadata import distributions
from types import SimpleNamespace

from novacore.hookspecs import ENTRY_POINT_GROUP
from novacore.host import Host, HostConfig
from novacore.tokens import estimate
from novacore.types import (
    CompactRequest,
    InstructionsRequest,
    RecallRequest,
    SessionRef,
    SpillLimits,
    SpillRequest,
    State,
    ToolInfo,
    ToolOutput,
    ToolsRequest,
)

PREAMBLE = """
import asyncio, threading, time
from novacore import Hooks
from novacore.types import *
"""
_number = itertools.count()


class PluginFolder:
    """A folder on ``sys.path`` into which a test puts distributions."""

    def __init__(self, path, monkeypatch):
        path.mkdir(exist_ok=True)
        self.path = path
        monkeypatch.syspath_prepend(str(path))

    def add(self, name, code, *, dist="", version="1.0", attribute="P", group=ENTRY_POINT_GROUP):
        """One distribution with one plugin; gives the name of its module."""
        module = f"plugin_module_{next(_number)}"
        (self.path / f"{module}.py").write_text(PREAMBLE + textwrap.dedent(code))
        self.announce(dist or f"dist-{name}", f"{name} = {module}:{attribute}", version, group)
        return module

    def announce(self, dist, entry, version="1.0", group=ENTRY_POINT_GROUP):
        info = self.path / f"{dist.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")

    def points(self):
        return [e for d in distributions(path=[str(self.path)]) for e in d.entry_points]


def services(name="", **changes):
    """The services of a plugin, with a past that remembers nothing."""
    nothing = SimpleNamespace(search=lambda text, **more: ())
    given = {
        "log": logging.getLogger(name),
        "clock": SimpleNamespace(now=time.time),
        "past": nothing,
        "count": estimate,
    }
    return SimpleNamespace(**{**given, **changes})


def make_host(**changes):
    """A host; keywords are its configuration's, but ``roots``, ``faults_file`` and ``services``."""
    roots, file = changes.pop("roots", ()), changes.pop("faults_file", None)
    lent = changes.pop("services", services)
    return Host(HostConfig(**changes), lent, roots=roots, faults_file=file)


def accept(value):
    """A check that finds nothing wrong."""


def recall_request(session="s1", **changes):
    return RecallRequest(
        session=SessionRef(id=session), **{"occasion": "message", "text": "a question", **changes}
    )


def spill_request(session="s1"):
    output = ToolOutput(id="call", text="lines\n" * 10, tokens=20, tool="run", call={"a": [1]})
    return SpillRequest(
        session=SessionRef(id=session), outputs=(output,), limits=SpillLimits(), token_budget=10
    )


def compact_request(session="s1", **changes):
    return CompactRequest(
        session=SessionRef(id=session),
        view=(),
        state=State(),
        legal_cuts=(),
        target_tokens=10,
        model="m",
        window=100,
        used=90,
        trigger="soft",
        **changes,
    )


def instructions_request(session="s1", **changes):
    return InstructionsRequest(
        session=SessionRef(id=session), **{"roots": ("/w",), "cwd": "/w", **changes}
    )


def tools_request(*tools, budget=1_000, session="s1"):
    tools = tools or (ToolInfo(name="read", tokens=100, required=True),)
    return ToolsRequest(
        session=SessionRef(id=session), tools=tools, mode="ask", task="", token_budget=budget
    )


REQUESTS = {
    "spill": spill_request,
    "compact": compact_request,
    "recall": recall_request,
    "inject_instructions": instructions_request,
    "select_tools": tools_request,
}


async def eventually(look):
    """What ``look`` gives once that is something; 20 s are enough for any machine."""
    async with asyncio.timeout(20):
        while True:
            if seen := look():
                return seen
            await asyncio.sleep(0.02)


async def asked(host, hook, request=None, check=accept, **more):
    """All answers of a hook, in order."""
    return [a async for a in host.ask(hook, request or REQUESTS[hook](), check, **more)]
