"""A long session of turns, cancels, compactions and resumes in any order."""

from __future__ import annotations

import asyncio
import os
import random

import pytest

from engine.wire import load_rules
from fakellm import FakeServer, Text, Thinking, ToolUse, Turn
from service.long_session import WINDOW, make_modules, say, service_on, texts

pytestmark = pytest.mark.soak

STEPS = int(os.environ.get("SOAK_STEPS", "300"))
SEED = int(os.environ.get("SOAK_SEED", "1"))
RULES = (
    "You must never touch migrations/{n}.",
    "Do not rename m{n}.py.",
    "第{n}条：金额必须用整数分表示。",
    "Only use the standard library in part {n}.",
)
MAX_RULES = 30
"""A person is asked to prune at 40; more do not fit the restatement of a small window."""


class Model:
    """Takes random steps: reads, searches, plans, thoughts, several calls at once, or an answer."""

    def __init__(self, chance):
        self.chance = chance

    def __call__(self, request):
        del request
        blocks = [Thinking("Hm.")] if self.chance.random() < 0.5 else []
        if self.chance.random() < 0.4:
            return Turn((*blocks, Text("That is all.")), chunk_chars=5)
        calls = [self._call() for _ in range(self.chance.choice((1, 1, 1, 2, 4)))]
        return Turn((*blocks, Text("I look."), *calls), chunk_chars=20)

    def _call(self):
        number = self.chance.randrange(40)
        last = self.chance.choice((5, 80, 480))
        return self.chance.choice(
            (
                ToolUse("read", {"path": f"m{number}.py", "start_line": 1, "end_line": last}),
                ToolUse("search", {"pattern": f"VALUE_{number}_7", "limit": 5}),
                ToolUse("read", {"path": f"missing{number}.py"}),
                ToolUse("plan", {"items": [{"text": f"part {number}", "status": "doing"}]}),
                ToolUse("no_such_tool", {"x": number}),
            )
        )


class Walk:
    """One session, on which things are done in a random order; ``check`` looks at what was sent."""

    def __init__(self, project, fake, chance, rules_of_wire):
        self.project = project
        self.fake = fake
        self.chance = chance
        self.rules_of_wire = rules_of_wire
        self.session = ""
        self.rules = []
        self.counts = {}
        self.checked = 0
        self._service = None
        self._closing = None

    async def open(self, *, mode=None):
        self._closing = service_on(self.project, self.fake, mode=mode)
        self._service = await self._closing.__aenter__()
        if self.session:
            await self._service.open_session(self.session)
        else:
            self.session = (await self._service.new_session()).id

    async def close(self):
        await self._closing.__aexit__(None, None, None)

    async def step(self):
        steps = {
            self.turn: 40,
            self.rule: 12,
            self.cancel: 14,
            self.steer: 8,
            self.compact: 8,
            self.resume: 10,
            self.other_mode: 4,
            self.instructions: 4,
        }
        (step,) = self.chance.choices(list(steps), weights=list(steps.values()))
        self.counts[step.__name__] = self.counts.get(step.__name__, 0) + 1
        await step()

    async def turn(self, text="Go on."):
        events = await say(self._service, self.session, text)
        assert events[-1].data["stopReason"] == "end_turn", events[-1].data

    async def rule(self):
        if len(self.rules) < MAX_RULES:
            words = self.chance.choice(RULES).format(n=len(self.rules))
            self.rules.append(words)
            await self.turn(f"Now the next part. {words}")

    async def cancel(self):
        task = asyncio.create_task(say(self._service, self.session, "Look at all of it."))
        await asyncio.sleep(self.chance.uniform(0, 0.15))
        await self._service.cancel(self.session)
        events = await task
        assert events[-1].data["stopReason"] in ("cancelled", "end_turn"), events[-1].data

    async def steer(self):
        said = False
        async for event in self._service.turn(self.session, "Look at some of it."):
            if event.kind == "toolCall" and not said:
                said = True
                await self._service.steer(self.session, "And be quick.")
        assert event.data["stopReason"] == "end_turn", event.data

    async def compact(self):
        made = await self._service.compact(self.session)
        assert made["id"] or made["verdict"].startswith("refused")

    async def resume(self):
        await self.close()
        await self.open()

    async def other_mode(self):
        await self.close()
        await self.open(mode=self.chance.choice(("read-only", "ask", "accept-edits")))

    async def instructions(self):
        path = self.project / "AGENTS.md"
        if path.exists() and self.chance.random() < 0.3:
            path.unlink()
        else:
            path.write_text(f"Indent with {self.chance.randrange(2, 9)} spaces.\n")

    def check(self):
        """Of every request that was sent since: valid, no rule lost, nothing but appended."""
        for request in self.fake.requests[self.checked :]:
            assert self.rules_of_wire(request.body) == []
            assert request.input_tokens < WINDOW
        self.checked = len(self.fake.requests)
        log = self._service.session_events(self.session)
        boundaries = sum(event.kind == "compaction" for event in log)
        breaks = sum(not request.appended_only for request in self.fake.requests[1:])
        assert breaks <= boundaries
        if self.fake.requests and self.counts.get("rule"):
            said = "\n".join(texts(self.fake.requests[-1].body))
            assert [rule for rule in self.rules if rule not in said] == []
        return boundaries


async def test_random_session(tmp_path, shared, capsys):
    chance = random.Random(SEED)
    project = make_modules(tmp_path / "project")
    async with FakeServer(Model(chance), window=WINDOW) as fake:
        walk = Walk(project, fake, chance, load_rules(shared))
        await walk.open()
        try:
            boundaries = 0
            for _ in range(STEPS):
                await walk.step()
                boundaries = walk.check()
        finally:
            await walk.close()
    with capsys.disabled():
        told = ", ".join(f"{count} {name}" for name, count in sorted(walk.counts.items()))
        print(f"\n{told}; {len(fake.requests)} requests, {boundaries} boundaries, seed {SEED}")
    assert boundaries > STEPS / 30
