"""The dispatcher: exactly one outcome for every call, in call order, whatever happens."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from novacore.errors import Denied, DiskRefused
from novacore.tools import outcomes
from novacore.tools.schema_check import mistakes
from novacore.types import PermissionAnswer, PermissionQuestion, ToolCall, ToolOutcome

if TYPE_CHECKING:
    from novacore.tools.context import Tool, ToolContext
    from novacore.tools.permissions import Permissions
    from novacore.tools.secrets import Masker

Ask = Callable[[PermissionQuestion], Awaitable[PermissionAnswer | None]]
"""Asks a person. None: nobody was there, which is a rejection."""
Started = Callable[[ToolCall, str], Awaitable[None] | None]
"""Records, on disk, that an effectful call is about to begin; gets a summary for a person."""
Allowed = Callable[[PermissionQuestion, str], None]
"""Called when a call may run without asking; gets the question and who said so."""
Finished = Callable[[ToolCall, ToolOutcome], Awaitable[None] | None]
"""Called once for each call that ran, as it ends."""

INVALID_JSON = "__invalid_json__"
"""Key of an input that the model did not write as JSON; its value is the raw text."""
CANCEL_SECONDS = 0.07
"""How long a cancelled tool may take to tidy up before it is given up."""
THREAD_CHARS = 200_000
"""From here on masking would hold up the event loop for too long."""

_STUB = re.compile(r'\s*<persisted-output mark="[0-9a-f]{10}"[^\n]*>\nNOT delivered: ')

_log = logging.getLogger(__name__)


class Dispatcher:
    """Carries out the calls of one message for one session."""

    def __init__(self, tools: Mapping[str, Tool], permissions: Permissions) -> None:
        self._tools = tools
        self._permissions = permissions
        self._given_up: set[asyncio.Task[ToolOutcome]] = set()

    async def dispatch(
        self,
        calls: Sequence[ToolCall],
        context: ToolContext,
        *,
        offered: frozenset[str],
        ask: Ask | None = None,
        allowed: Allowed = lambda question, reason: None,
        started: Started = lambda call, summary: None,
        finished: Finished = lambda call, outcome: None,
    ) -> tuple[ToolOutcome, ...]:
        """Run ``calls``; neighbouring read-only ones at the same time, all others in order.

        When the task that waits here is cancelled, this still returns, promptly, an outcome for
        every call; ``asyncio.current_task().cancelling()`` then tells the caller to stop once it
        has recorded them.
        """
        batch = _Batch(
            calls=list(calls), context=context, offered=offered, ask=ask, allowed=allowed,
            started=started, finished=finished,
        )  # fmt: skip
        work = asyncio.ensure_future(self._work(batch))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            work.cancel()
            await _settled(work)
        return tuple(
            batch.results.get(place) or outcomes.user_stopped(call)
            for place, call in enumerate(batch.calls)
        )

    async def _work(self, batch: _Batch) -> None:
        place = 0
        while place < len(batch.calls):
            group = [place]
            while self._reads(batch, group[-1]) and self._reads(batch, group[-1] + 1):
                group.append(group[-1] + 1)
            running = [asyncio.ensure_future(self._place(batch, index)) for index in group]
            try:
                await asyncio.gather(*running)
            finally:
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)
            place = group[-1] + 1

    def _reads(self, batch: _Batch, place: int) -> bool:
        if place >= len(batch.calls):
            return False
        tool = self._tools.get(batch.calls[place].name)
        return tool is not None and tool.spec.read_only

    async def _place(self, batch: _Batch, place: int) -> None:
        """Give the call at ``place`` its outcome; a stop before it began leaves it without one."""
        call = batch.calls[place]
        effectful = call.name in self._tools and not self._reads(batch, place)
        if effectful and batch.failed:
            batch.results[place] = outcomes.sibling_failed(call)
            return
        try:
            outcome = await self._one(batch, place, call)
        except asyncio.CancelledError:
            if place in batch.running:
                batch.results[place] = outcomes.interrupted(call, read_only=not effectful)
            raise
        except Exception as error:
            # From a callback: whatever it is, the call still gets its outcome.
            outcome = _broken(call, error)
        batch.results[place] = outcome
        batch.failed = batch.failed or (effectful and outcome.status not in outcomes.DONE)

    async def _one(self, batch: _Batch, place: int, call: ToolCall) -> ToolOutcome:
        tool = self._tools.get(call.name)
        if tool is None or call.name not in batch.offered:
            return outcomes.not_offered(call, batch.offered & self._tools.keys())
        if INVALID_JSON in call.input:
            raw = str(call.input[INVALID_JSON])[:200]
            return outcomes.invalid(call, [f"the input is not valid JSON: {raw}"])
        if wrong := list(mistakes(call.input, tool.spec.schema)):
            return outcomes.invalid(call, wrong)
        if any(_STUB.match(text) for text in _texts(call.input)):
            return outcomes.placeholder(call)
        # On a thread: the trial run of an edit may take a while.
        question = await asyncio.to_thread(_asked, tool, call, batch.context)
        if isinstance(question, ToolOutcome):
            return await _masked(question, batch.context.masker)
        refused = await self._permitted(batch, question) if question else None
        return refused or await self._carried_out(batch, place, call, tool, question)

    async def _permitted(self, batch: _Batch, question: PermissionQuestion) -> ToolOutcome | None:
        """None when the call may run."""
        verdict = self._permissions.judge(question, batch.context.policy)
        if verdict.outcome == "deny":
            return outcomes.denied(verdict.reason)
        if verdict.outcome == "allow":
            batch.allowed(question, verdict.reason)
            return None
        if batch.ask is None:
            return outcomes.rejected("(nobody was there to ask, and no rule of theirs allows it)")
        async with batch.asking:
            # An answer "for this session" to the question before may have settled this one.
            verdict = self._permissions.judge(question, batch.context.policy)
            if verdict.outcome == "deny":
                return outcomes.denied(verdict.reason)
            if verdict.outcome == "allow":
                batch.allowed(question, verdict.reason)
                return None
            answer = await batch.ask(question)
        if answer is None or answer.outcome == "reject":
            return outcomes.rejected(answer.reason if answer else "(nobody answered)")
        self._permissions.remember(question, answer)
        return None

    async def _carried_out(
        self,
        batch: _Batch,
        place: int,
        call: ToolCall,
        tool: Tool,
        question: PermissionQuestion | None,
    ) -> ToolOutcome:
        if not tool.spec.read_only:
            try:
                await _maybe(batch.started(call, _summary(call, question)))
            except DiskRefused as error:
                return outcomes.not_recorded(error)
        batch.running.add(place)
        with batch.context.policy.approved(question.paths if question else ()):
            outcome = await self._ran(batch, call, tool)
        outcome = await _masked(outcome, batch.context.masker)
        try:
            await _maybe(batch.finished(call, outcome))
        except Exception:
            # The call has happened: its outcome must not be replaced by the recorder's trouble.
            _log.exception("what %s came to could not be reported", call.name)
        return outcome

    async def _ran(self, batch: _Batch, call: ToolCall, tool: Tool) -> ToolOutcome:
        """The tool's outcome, or on a stop what it says promptly, if it says anything."""
        task = asyncio.ensure_future(_guarded(tool, call, batch.context))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            self._given_up.add(task)
            task.add_done_callback(self._given_up.discard)
            await asyncio.wait({task}, timeout=CANCEL_SECONDS)
            if task.done() and not task.cancelled():
                return task.result()
            raise


@dataclass(slots=True, kw_only=True)
class _Batch:
    """One message's calls and how far they are."""

    calls: list[ToolCall]
    context: ToolContext
    offered: frozenset[str]
    ask: Ask | None
    allowed: Allowed
    started: Started
    finished: Finished
    results: dict[int, ToolOutcome] = field(default_factory=dict)
    running: set[int] = field(default_factory=set)
    failed: bool = False
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _asked(
    tool: Tool, call: ToolCall, context: ToolContext
) -> PermissionQuestion | ToolOutcome | None:
    try:
        return tool.question(call, context)
    except BaseException as error:
        return _broken(call, error)


async def _guarded(tool: Tool, call: ToolCall, context: ToolContext) -> ToolOutcome:
    try:
        return await tool.run(call, context)
    except Denied as error:
        return outcomes.denied(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        # SystemExit too: a tool's bug must not end the program.
        return _broken(call, error)


def _broken(call: ToolCall, error: BaseException) -> ToolOutcome:
    _log.error("the tool %s broke", call.name, exc_info=error)
    words = f"{type(error).__name__}: {error}".rstrip(": ")
    return outcomes.failed(
        f"{call.name} broke: {words[:500]}. This is a bug of the tool; try another way."
    )


async def _masked(outcome: ToolOutcome, masker: Masker) -> ToolOutcome:
    def mask() -> ToolOutcome:
        found = masker.mask(outcome.text)
        data = {key: _inside(value, masker) for key, value in outcome.data.items()}
        if found.counts:
            data["masked"] = dict(found.counts)
        return replace(
            outcome,
            text=found.text,
            command=masker.mask(outcome.command).text,
            error_line=masker.mask(outcome.error_line).text,
            failing=tuple(masker.mask(name).text for name in outcome.failing),
            data=data,
        )

    return await asyncio.to_thread(mask) if len(outcome.text) > THREAD_CHARS else mask()


def _inside(value: Any, masker: Masker) -> Any:
    return masker.mask(value).text if isinstance(value, str) else value


def _summary(call: ToolCall, question: PermissionQuestion | None) -> str:
    if question is None:
        return call.name
    return f"{question.title}: {question.command}" if question.command else question.title


async def _maybe(result: Awaitable[None] | None) -> None:
    if inspect.isawaitable(result):
        await result


async def _settled(work: asyncio.Task[None]) -> None:
    """Wait for a cancelled task, also when this one is cancelled again meanwhile."""
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError:
            work.cancel()
    if not work.cancelled() and (error := work.exception()):
        raise error
