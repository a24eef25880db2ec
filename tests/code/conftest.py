"""A workspace on disk, and the tools over it with the real policy, masker and artifacts."""

from __future__ import annotations

import pytest

from novacore.store.artifacts import ArtifactStore
from novacore.tools.context import ToolContext
from novacore.tools.ledger import ReadLedger
from novacore.tools.paths import PathPolicy
from novacore.tools.registry import built_in_tools
from novacore.tools.secrets import Masker
from novacore.types import PermissionQuestion, ToolCall


class Bench:
    """Calls a tool as the dispatcher does, with a person who agrees to everything."""

    def __init__(self, root, artifacts):
        self.root = root
        self.policy = PathPolicy((root,))
        self.tools = built_in_tools()
        self.ledger = ReadLedger()
        self.context = ToolContext(
            session_id="s",
            cwd=root,
            roots=self.policy.roots,
            policy=self.policy,
            masker=Masker(b"k" * 32),
            artifacts=ArtifactStore(artifacts),
            ledger=self.ledger,
            past=None,
        )
        self.count = 0

    def ask(self, name, /, **given):
        self.count += 1
        call = ToolCall(id=f"c{self.count}", name=name, input=given)
        return call, self.tools[name].question(call, self.context)

    async def answer(self, call, question):
        if question is not None and not isinstance(question, PermissionQuestion):
            return question
        with self.policy.approved(question.paths if question else ()):
            return await self.tools[call.name].run(call, self.context)

    async def call(self, name, /, **given):
        return await self.answer(*self.ask(name, **given))

    def put(self, path, data):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        return target


@pytest.fixture
def bench(tmp_path):
    root = tmp_path / "proj"
    root.mkdir()
    return Bench(root.resolve(), tmp_path / "artifacts")


@pytest.fixture
def make_bench(tmp_path):
    return lambda root: Bench(root.resolve(), tmp_path / "artifacts")
