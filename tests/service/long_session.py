"""A service in this process on a project of many modules, against a fake with a small window."""

from __future__ import annotations

import itertools
from contextlib import asynccontextmanager

import pytest

from fakellm import Text, Thinking, ToolUse, Turn
from novacore.engine.budget import budget_for
from novacore.service import Service
from novacore.service.api import ServiceOptions

WINDOW = 40_000
BUDGET = budget_for(WINDOW)
MODULES = 40
LINES = 480
"""Of a module; about 2,000 tokens of the fake."""

RULES = (
    "You must never touch migrations/, unless I approve it.",
    "Do not add a dependency.",
    "所有金额必须用整数分表示，不得使用浮点数。",
    "没有我的批准，不要推送到 main。",
)
TASK = "Go through the modules one by one. " + " ".join(RULES)


def make_modules(folder):
    """A folder with modules that are all different."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(MODULES):
        rows = (f"VALUE_{number}_{k} = {k * 7919 % 1000 + number}" for k in range(LINES))
        (folder / f"m{number}.py").write_text("\n".join(rows) + "\n")
    return folder


class Reader:
    """A model that reads one module after another, ``steps`` to a turn, and thinks before each.

    ``asides`` maps the number of a request (from 0) to a function that is called before its answer.
    """

    def __init__(self, steps, asides=None):
        self.steps = steps
        self.asides = asides or {}
        self.done = 0
        self._modules = itertools.cycle(range(MODULES))

    def __call__(self, request):
        self.asides.get(request.index, lambda: None)()
        if self.done == self.steps:
            self.done = 0
            return Turn((Thinking("That is enough."), Text("Read so far; all in order.")))
        self.done += 1
        number = next(self._modules)
        call = ToolUse("read", {"path": f"m{number}.py", "start_line": 1, "end_line": LINES})
        return Turn((Thinking(f"Module {number} is next."), Text(f"Module {number}."), call))


@asynccontextmanager
async def service_on(project, fake, *, mode=None, model="", **overrides):
    """A service of the project that asks ``fake``; keywords are settings, ``__`` for a dot."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", "sk-fake")
        patch.setenv("ANTHROPIC_BASE_URL", fake.url)
        settings = {name.replace("__", "."): value for name, value in overrides.items()}
        options = ServiceOptions(
            cwd=project, mode=mode, model=model, assume_yes=True, overrides=settings
        )
        async with Service(options) as service:
            yield service


async def say(service, session, text):
    """One turn; every event of it, the last one is ``idle``."""
    return [event async for event in service.turn(session, text)]


def of_kind(events, kind):
    """The data of the events of one kind."""
    return [event.data for event in events if event.kind == kind]


def blocks(body):
    """Every block of a request's messages."""
    return [block for message in body["messages"] for block in message["content"]]


def texts(body):
    """Every text block of a request."""
    return [block["text"] for block in blocks(body) if block["type"] == "text"]


def reasoning(body):
    """Every reasoning block of a request."""
    return [block for block in blocks(body) if block["type"] == "thinking"]


def epochs(requests):
    """Requests in groups; inside a group each one begins with the bytes of the one before."""
    groups = []
    for request in requests:
        if request.index and request.appended_only:
            groups[-1].append(request)
        else:
            groups.append([request])
    return groups
