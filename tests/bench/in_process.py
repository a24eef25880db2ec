"""A model in this process that answers at once, and a yardstick for times."""

from __future__ import annotations

import itertools
import time

from novacore.models.anthropic_wire import body
from novacore.types import AnswerDone, BlockDone, ModelInfo, Text, TextDelta, ToolUse, Usage

LOOPS = 400_000
"""Rounds of a bare loop that take 20 ms at 50 ns each, as CPython 3.11 does on a common machine."""


class Clock:
    """Seconds of the wall and of this process's processors since it was made."""

    def __init__(self):
        self._start = (time.perf_counter(), time.process_time())

    @property
    def seconds(self):
        now = (time.perf_counter(), time.process_time())
        return tuple(end - start for start, end in zip(self._start, now, strict=True))


def yardstick():
    """Seconds (wall, processors) that ``LOOPS`` rounds of a bare loop take here and now."""
    clock, total = Clock(), 0
    for number in range(LOOPS):
        total += number
    return clock.seconds


class Instant:
    """Answers with the blocks of ``script``, then with a word."""

    name = "instant"

    def __init__(self):
        self.script = iter(())
        self._made = {}
        self._ids = itertools.count()

    async def info(self, model):
        return ModelInfo(id=model, provider=self.name, window=200_000, caching=True)

    async def stream(self, request):
        # The body is made here too: only sending it and waiting for an answer are left out.
        body(request, self._made)
        blocks = (block for message in request.messages for block in message.blocks)
        tokens = sum(_chars(block) for block in blocks) // 4
        for block in next(self.script, (Text(text="Done."),)):
            if isinstance(block, Text):
                yield TextDelta(text=block.text)
            yield BlockDone(block=block)
        usage = Usage(uncached=tokens, output=20)
        yield AnswerDone(stop_reason="end_turn", usage=usage, model=request.model)

    async def aclose(self):
        return None

    def call(self, words, name, /, **arguments):
        """One answer that calls a tool."""
        use = ToolUse(id=f"call_{next(self._ids)}", name=name, input=arguments)
        return (Text(text=words), use)


def _chars(block):
    return len(str(block.input)) if isinstance(block, ToolUse) else len(block.text)
