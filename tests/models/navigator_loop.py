"""The agent's loop with nothing but the navigator and the real reading tools."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path

from novacore.models.navigator import NavigatorProvider
from novacore.tools.context import ToolContext
from novacore.tools.find import FindTool
from novacore.tools.glob import GlobTool
from novacore.tools.ledger import ReadLedger
from novacore.tools.paths import PathPolicy
from novacore.tools.read import ReadTool
from novacore.tools.search import SearchTool
from novacore.tools.secrets import Masker
from novacore.types import (
    AnswerDone,
    BlockDone,
    Message,
    ModelRequest,
    Text,
    TextDelta,
    ToolCall,
    ToolResult,
    ToolUse,
)

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = {tool.spec.name: tool for tool in (ReadTool(), FindTool(), SearchTool(), GlobTool())}
CITED = re.compile(r"^\*\*\d+\. `(.+?):(\d+)-(\d+)`(?: `(.+?)`)?\*\*", re.MULTILINE)


@dataclass
class Talk:
    """A session over one folder; ``say`` asks and gives the answer."""

    root: Path
    tools: dict = field(default_factory=lambda: dict(TOOLS))
    deny: tuple[str, ...] = ()
    messages: list[Message] = field(default_factory=list)
    calls: list[ToolUse] = field(default_factory=list)
    steps: int = 0

    def __post_init__(self):
        policy = PathPolicy((self.root.resolve(),), deny=self.deny, artifacts_dir=None)
        self.context = ToolContext(
            session_id="s",
            cwd=self.root,
            roots=(self.root.resolve(),),
            policy=policy,
            masker=Masker(b"k"),
            artifacts=None,
            ledger=ReadLedger(),
            past=None,
        )

    async def say(self, text: str) -> str:
        self.messages.append(Message(role="user", blocks=(Text(text=text),)))
        self.calls, self.steps = [], 0
        while True:
            blocks, done = await stream(self.request())
            self.messages.append(Message(role="assistant", blocks=tuple(blocks)))
            uses = [block for block in blocks if isinstance(block, ToolUse)]
            if not uses:
                assert done.stop_reason == "end_turn"
                return "".join(block.text for block in blocks)
            self.steps += 1
            assert self.steps < 8, "it does not come to an end"
            self.calls += uses
            results = await asyncio.gather(*map(self._run, uses))
            self.messages.append(Message(role="user", blocks=tuple(results)))

    def request(self) -> ModelRequest:
        return ModelRequest(
            model="navigator",
            system=(Text(text="system"),),
            tools=tuple(tool.spec for tool in self.tools.values()),
            messages=tuple(self.messages),
            max_tokens=8_000,
        )

    async def _run(self, use: ToolUse) -> ToolResult:
        tool = self.tools[use.name]
        call = ToolCall(id=use.id, name=use.name, input=use.input)
        outcome = tool.question(call, self.context) or await tool.run(call, self.context)
        return ToolResult(tool_use_id=use.id, text=outcome.text, is_error=outcome.is_error)


async def stream(request: ModelRequest):
    """The blocks and the end of one answer; its deltas are checked against its text."""
    blocks, shown, done = [], "", None
    async for event in NavigatorProvider().stream(request):
        match event:
            case TextDelta(text=text):
                shown += text
            case BlockDone(block=block):
                blocks.append(block)
            case AnswerDone():
                done = event
    assert shown == "".join(block.text for block in blocks if isinstance(block, Text))
    return blocks, done


def cited(answer: str) -> list[str]:
    """Paths of the places that an answer shows, best first."""
    return [match[0] for match in CITED.findall(answer)]
