"""What NovaCore itself adds to a turn and to a step, without the model and the tools."""

from __future__ import annotations

from statistics import median

import pytest

from bench.in_process import Clock, Instant, yardstick
from novacore.service import Service, opening
from novacore.service.api import ServiceOptions
from service.project_kit import make_project

pytestmark = pytest.mark.bench

TURNS = 40
STEPS = 30
LONG = 4
"""Turns of 100 steps each that fill most of a window; a step is as large as in real sessions."""


class Bench:
    """A session with the instant model."""

    def __init__(self, service, session, model):
        self.service = service
        self.session = session
        self.model = model

    async def turn(self, steps=0, size=0):
        """Seconds (wall, processors) for each request of a turn.

        Every step calls the cheapest tool, after ``size`` characters of words.
        """
        item = {"text": "the next part", "status": "doing"}
        words = f"Next: {'this and that. ' * (size // 15)}"
        calls = [self.model.call(words, "plan", items=[item]) for _ in range(steps)]
        self.model.script = iter(calls)
        clock = Clock()
        async for event in self.service.turn(self.session, "Go on with the next part."):
            last = event
        assert last.data["stopReason"] == "end_turn"
        return tuple(seconds / (steps + 1) for seconds in clock.seconds)

    async def timed(self, runs, steps=0):
        """(turn, loop) again and again: the bare loop is timed right after each turn."""
        return [(await self.turn(steps), yardstick()) for _ in range(runs)]


@pytest.fixture
async def bench(tmp_path, monkeypatch):
    model = Instant()
    monkeypatch.setattr(opening, "make_provider", lambda *args, **options: model)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    options = ServiceOptions(cwd=make_project(tmp_path / "project"), assume_yes=True)
    async with Service(options) as service:
        yield Bench(service, (await service.new_session()).id, model)


async def test_added_time(bench, capsys):
    await bench.turn()
    rows = {"turn without tools": await bench.timed(TURNS)}
    rows["step with an instant tool"] = await bench.timed(9, steps=STEPS)
    for _ in range(LONG):
        await bench.turn(100, size=1_200)
    used = bench.service.context(bench.session)["used"]
    rows[f"turn at {used:,} tokens"] = await bench.timed(15)
    with capsys.disabled():
        print(f"\n{'medians in ms':28} {'added':>7} {'of it computing':>16} {'bare loop':>10}")
        for name, pairs in rows.items():
            wall, busy = (median(turn[i] for turn, _ in pairs) * 1_000 for i in (0, 1))
            loop = median(loop[1] for _, loop in pairs) * 1_000
            print(f"{name:28} {wall:7.1f} {busy:16.1f} {loop:10.1f}   {ratio(pairs):4.2f}")
    # Under 20 ms where the bare loop takes 20 ms. What is compared is computing: waiting for a
    # disk or a busy machine is not ours, and the same for every program.
    assert ratio(rows["turn without tools"]) < 1
    assert ratio(rows["step with an instant tool"]) < 1


def ratio(pairs):
    """The median of each turn against the loop right after it, in seconds of the processor."""
    return median(turn[1] / loop[1] for turn, loop in pairs)
