"""The ``run`` tool: a shell command, in the foreground or as a background job."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from novacore.tools.capture import Capture, Lines
from novacore.tools.command_risks import risks
from novacore.tools.command_rules import EXACT
from novacore.tools.environment import child_environment
from novacore.tools.jobs import MAX_JOBS, Jobs, Polled
from novacore.tools.processes import CANCEL_GRACE_SECONDS, Running, start
from novacore.types import PermissionQuestion, Status, ToolCall, ToolOutcome, ToolSpec

if TYPE_CHECKING:
    from novacore.tools.context import ToolContext

DEFAULT_SECONDS = 120
MAX_SECONDS = 600
_PROGRESS_SECONDS = 0.1
_STOPPED_CHARS = 20_000
"""What is kept of a command that a person stopped: they wait for the answer."""

SPEC = ToolSpec(
    name="run",
    description=(
        "Run a shell command (bash, no input). Output is stdout and stderr together; the last line"
        " is the exit code. background=true returns a job handle: poll it with job (only new"
        " output comes), end it with job and stop=true. Prefer read, search and edit for files."
    ),
    schema={
        "type": "object",
        "properties": {
            "command": {"type": "string", "minLength": 1},
            "timeout": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_SECONDS,
                "description": f"seconds, default {DEFAULT_SECONDS}",
            },
            "cwd": {"type": "string", "description": "a folder of the workspace"},
            "background": {"type": "boolean"},
            "job": {"type": "string"},
            "stop": {"type": "boolean"},
        },
        "additionalProperties": False,
    },
    read_only=False,
)


class RunTool:
    """Holds the background jobs of every session; ``close`` ends them."""

    spec = SPEC

    def __init__(self) -> None:
        self._jobs = Jobs()

    def question(
        self, call: ToolCall, context: ToolContext
    ) -> PermissionQuestion | ToolOutcome | None:
        """The command as it stands, with what a person should know before it runs."""
        if call.input.get("job"):
            return None
        command = call.input.get("command", "").strip()
        if not command:
            return _failed("Give a command to run, or the job to poll.")
        cwd = _folder(call, context)
        if isinstance(cwd, ToolOutcome):
            return cwd
        found = risks(command, context.policy, cwd)
        return PermissionQuestion(
            id=call.id,
            call_id=call.id,
            tool=self.spec.name,
            subject="exec",
            title=f"Run in {_shown(cwd, context)}",
            detail=command,
            command=command,
            paths=found.paths,
            programs=found.programs,
            warnings=found.warnings,
            rule=EXACT + command,
        )

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Carry the command out. When cancelled it ends it and answers with what came so far."""
        if handle := call.input.get("job"):
            return await self._poll(handle, call, context)
        cwd = _folder(call, context)
        if isinstance(cwd, ToolOutcome):
            return cwd
        command = call.input["command"].strip()
        env = child_environment(os.environ, roots=context.roots, trusted=context.trusted)
        try:
            if call.input.get("background"):
                return await self._start_job(command, cwd, env, context)
            return await _foreground(call, command, cwd, env, context)
        except OSError as error:
            return _failed(f"The command could not be started: {error.strerror or error}.")

    async def close(self, session_id: str = "") -> None:
        """End the background jobs of a session, or of all."""
        await self._jobs.close(session_id)

    async def _start_job(
        self, command: str, cwd: Path, env: dict[str, str], context: ToolContext
    ) -> ToolOutcome:
        handle = await self._jobs.start(context.session_id, command, cwd=cwd, env=env)
        if handle is None:
            running = ", ".join(self._jobs.handles(context.session_id))
            return _failed(f"{MAX_JOBS} jobs run already ({running}). Stop one first.")
        return ToolOutcome(
            text=f"Started as {handle}. Poll it with job={handle!r}.", command=command
        )

    async def _poll(self, handle: str, call: ToolCall, context: ToolContext) -> ToolOutcome:
        stop = bool(call.input.get("stop"))
        polled = await self._jobs.poll(context.session_id, handle, stop=stop)
        if polled is None:
            running = ", ".join(self._jobs.handles(context.session_id)) or "none"
            return ToolOutcome(
                text=f"No job {handle!r}; jobs whose end was not reported yet: {running}.",
                status="not_found",
                is_error=True,
            )
        return _polled(polled, stopped=stop)


async def _foreground(
    call: ToolCall, command: str, cwd: Path, env: dict[str, str], context: ToolContext
) -> ToolOutcome:
    seconds = min(call.input.get("timeout") or DEFAULT_SECONDS, MAX_SECONDS)
    capture = Capture()
    stream = _Stream(call.id, context, capture)
    running = await start(command, cwd=cwd, env=env, output=stream.add)
    try:
        ended = await running.wait(seconds)
        if not ended:
            await running.end()
    except asyncio.CancelledError:
        await _end_now(running)
        stream.flush()
        return _stopped(command, capture)
    stream.flush()
    text = await asyncio.to_thread(_text, call.id, capture, context)
    return _finished(command, text, running, None if ended else seconds)


async def _end_now(running: Running) -> None:
    """End the group although this task is being cancelled, and before it is given up."""
    try:
        await running.end(grace=CANCEL_GRACE_SECONDS)
    finally:
        running.kill()


class _Stream:
    """Passes output on as it comes: whole lines, masked, at most ten times a second."""

    def __init__(self, call_id: str, context: ToolContext, capture: Capture) -> None:
        self._call_id = call_id
        self._context = context
        self._capture = capture
        self._lines = Lines()
        self._waiting: list[str] = []
        self._last = 0.0
        self._later: asyncio.TimerHandle | None = None

    def add(self, data: bytes) -> None:
        self._capture.add(data)
        if self._capture.over:
            return
        self._waiting.append(self._lines.add(data))
        wait = self._last + _PROGRESS_SECONDS - time.monotonic()
        if wait <= 0:
            self._send()
        elif self._later is None:
            # Nothing more may come for a long time: what is here is shown without it.
            self._later = asyncio.get_running_loop().call_later(wait, self._send)

    def flush(self) -> None:
        self._waiting.append(self._lines.end())
        self._send()

    def _send(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        text = "".join(self._waiting)
        self._waiting.clear()
        if text:
            self._last = time.monotonic()
            self._context.progress(self._call_id, self._context.masker.mask(text).text)


def _text(call_id: str, capture: Capture, context: ToolContext) -> str:
    """The output for the model; one that is too long for it goes to an artifact as well."""
    text = capture.text()
    if not capture.over:
        return text
    whole = context.masker.mask(capture.whole()).text
    artifact = context.artifacts.put(f"{call_id}-whole", whole)
    return f"[{capture.total:,} bytes; the whole output is artifact:{artifact.id}]\n{text}"


def _finished(command: str, text: str, running: Running, limit: int | None) -> ToolOutcome:
    code = running.code if limit is None else None
    notes = []
    if running.left_running and limit is None:
        notes.append("[what it left running was ended; use background=true to keep a server up]")
    if limit is not None:
        notes.append(f"[stopped: it ran longer than {limit} s; give a timeout or background=true]")
    notes.append(f"exit code: {'none' if code is None else code}")
    return ToolOutcome(
        text=_with_notes(text, notes),
        status="ok" if code == 0 else "failed",
        is_error=code != 0,
        command=command,
        exit_code=code,
    )


def _stopped(command: str, capture: Capture) -> ToolOutcome:
    note = "[interrupted by the user while it ran; its outcome is unknown: check before repeating]"
    return ToolOutcome(
        text=_with_notes(capture.text()[-_STOPPED_CHARS:], [note]),
        status="interrupted",
        is_error=True,
        command=command,
    )


def _polled(polled: Polled, *, stopped: bool) -> ToolOutcome:
    if polled.code is None:
        notes = ["[still running]"] if polled.text else ["[still running; nothing new]"]
    else:
        notes = [*(["[stopped]"] if stopped else []), f"exit code: {polled.code}"]
    failed = polled.code not in (None, 0) and not stopped
    return ToolOutcome(
        text=_with_notes(polled.text, notes),
        status="failed" if failed else "ok",
        is_error=failed,
        command=polled.command,
        exit_code=polled.code,
    )


def _with_notes(text: str, notes: list[str]) -> str:
    body = text if not text or text.endswith("\n") else f"{text}\n"
    return body + "\n".join(notes)


def _folder(call: ToolCall, context: ToolContext) -> Path | ToolOutcome:
    """Where it runs: inside the roots, whatever links say."""
    given = call.input.get("cwd")
    if not given:
        return context.cwd
    access = context.policy.resolve(given, write=False)
    if access.verdict != "allow" or access.rule:
        return ToolOutcome(
            text=access.reason or f"{given} is no folder of the workspace; run needs one.",
            status="denied",
            is_error=True,
        )
    try:
        if access.real.is_dir():
            return access.real
    except OSError as error:
        return _failed(f"{given} cannot be entered: {error.strerror}.", status="unreadable")
    return _failed(f"{given} is not a folder.", status="not_found")


def _shown(cwd: Path, context: ToolContext) -> str:
    return context.policy.resolve(str(cwd), write=False).relative


def _failed(text: str, *, status: Status = "failed") -> ToolOutcome:
    return ToolOutcome(text=text, status=status, is_error=True)
