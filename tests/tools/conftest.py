"""A workspace on disk, and a context with as little behind it as a tool needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from novacore.services import Remembered
from novacore.tools.context import ToolContext
from novacore.tools.ledger import ReadLedger
from novacore.tools.paths import PathPolicy
from novacore.tools.secrets import Masker
from novacore.types import ToolCall, ToolOutcome, ToolSpec


@dataclass
class Past:
    hits: list[Remembered] = field(default_factory=list)

    def search(self, text, *, limit, exclude_session="", memory_only=False):
        words = text.lower().split()
        found = [hit for hit in self.hits if any(word in hit.text.lower() for word in words)]
        return [hit for hit in found if hit.kind == "memory" or not memory_only][:limit]


@dataclass
class Artifacts:
    texts: dict[str, str] = field(default_factory=dict)

    def put(self, call_id, text, *, tokens=0):
        self.texts[call_id] = text

        @dataclass
        class Stored:
            id: str = call_id

        return Stored()


class FakeTool:
    """A tool whose ``run`` is a coroutine function of the test."""

    def __init__(self, name, run, *, read_only=False, question=None, schema=None):
        self.spec = ToolSpec(
            name=name, description=name, schema=schema or {"type": "object"}, read_only=read_only
        )
        self._run = run
        self._question = question

    def question(self, call, context):
        return self._question(call, context) if callable(self._question) else self._question

    async def run(self, call, context):
        return await self._run(call, context)


@pytest.fixture
def fake_tool():
    return FakeTool


@pytest.fixture
def workspace(tmp_path) -> Path:
    root = tmp_path / "proj"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("x = 1\n")
    (root / ".env").write_text("API_KEY=sk-test-000111222333\n")
    return root


@pytest.fixture
def policy(workspace) -> PathPolicy:
    return PathPolicy((workspace,))


@pytest.fixture
def context(workspace, policy) -> ToolContext:
    return ToolContext(
        session_id="s1",
        cwd=workspace,
        roots=policy.roots,
        policy=policy,
        masker=Masker(b"k" * 32),
        artifacts=Artifacts(),
        ledger=ReadLedger(),
        past=Past(),
    )


@pytest.fixture
def call():
    def make(name, id="c1", /, **input):
        return ToolCall(id=id, name=name, input=input)

    return make


@pytest.fixture
def ok():
    async def run(call, context):
        return ToolOutcome(text=f"{call.id} done")

    return run


@pytest.fixture(scope="session")
def fake_tool_class():
    return FakeTool


@pytest.fixture(scope="session")
def plain_context(tmp_path_factory):
    root = tmp_path_factory.mktemp("plain")
    policy = PathPolicy((root,))
    return ToolContext(
        session_id="s",
        cwd=root,
        roots=policy.roots,
        policy=policy,
        masker=Masker(b"k"),
        artifacts=Artifacts(),
        ledger=ReadLedger(),
        past=Past(),
    )
