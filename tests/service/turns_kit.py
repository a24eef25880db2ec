"""Turns of a real service in this process, against a fake server over real HTTP."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from novacore.service import Service
from novacore.service.api import ServiceOptions
from service.project_kit import json_lines, sessions_folder


@asynccontextmanager
async def serving(project, fake=None, **options):
    """A service that works in ``project``; ``fake`` is the server that it asks."""
    with pytest.MonkeyPatch.context() as patch:
        if fake is not None:
            patch.setenv("ANTHROPIC_API_KEY", "sk-fake")
            patch.setenv("ANTHROPIC_BASE_URL", fake.url)
        async with Service(ServiceOptions(cwd=project, **options)) as service:
            yield service


class Watch:
    """Runs a turn in the background and keeps its events; ``on`` reacts to each."""

    def __init__(self, service, session, text, on=None):
        self.service, self.session = service, session
        self.events = []
        self.times = []
        self._on = on
        self._more = asyncio.Event()
        self.task = asyncio.create_task(self._run(text))

    async def _run(self, text):
        async for event in self.service.turn(self.session, text):
            self.times.append(asyncio.get_running_loop().time())
            self.events.append(event)
            self._more.set()
            if self._on is not None:
                await self._on(event)
        return self.events

    async def until(self, wanted):
        """Wait for the first event that ``wanted`` accepts."""
        seen = 0
        async with asyncio.timeout(20):
            while True:
                for event in self.events[seen:]:
                    seen += 1
                    if wanted(event):
                        return event
                self._more.clear()
                await self._more.wait()

    @property
    def idle(self):
        assert self.events[-1].kind == "idle"
        return self.events[-1].data

    async def cancel(self):
        """Cancel; the seconds until the ``idle`` event was there."""
        begun = asyncio.get_running_loop().time()
        await self.service.cancel(self.session)
        await self.task
        assert self.events[-1].kind == "idle"
        return self.times[-1] - begun


async def say(service, session, text):
    """A whole turn in which nobody is asked for anything; its events."""
    events = []
    async for event in service.turn(session, text):
        assert event.kind != "permission", event.data["detail"]
        events.append(event)
    return events


def text_of(events):
    """What the model said in a turn."""
    return "".join(event.data["delta"] for event in events if event.kind == "text")


def notices(events):
    return [event.data["text"] for event in events if event.kind == "notice"]


def log_of(session):
    """The records of a session, as they stand on the disk."""
    return json_lines((sessions_folder() / session / "events.jsonl").read_text())


def blocks(body):
    """Every block of a request: (role, block)."""
    return [(m["role"], b) for m in body["messages"] for b in m["content"]]


def texts(body, role="user"):
    return [b["text"] for r, b in blocks(body) if r == role and b["type"] == "text"]


def results(body):
    """Every tool result of a request by its call's id: (text, is_error)."""
    found = {}
    for _, block in blocks(body):
        if block["type"] == "tool_result":
            content = block["content"]
            shown = content if isinstance(content, str) else "".join(c["text"] for c in content)
            found[block["tool_use_id"]] = (shown, bool(block.get("is_error")))
    return found


def check_wire(shared, fake):
    """The shared wire rules over every request that the fake has seen."""
    from engine.wire import load_rules

    check = load_rules(shared)
    assert fake.requests
    for request in fake.requests:
        assert check(request.body) == []


def state_files():
    """Every file and folder of the state folder."""
    root = Path(os.environ["NOVACORE_STATE_DIR"])
    return [root, *root.rglob("*")]
