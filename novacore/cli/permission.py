"""Ask the person at the terminal whether a call may run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from novacore.cli.output import console, exact, plural
from novacore.types import PermissionAnswer

if TYPE_CHECKING:
    from rich.text import Text

NO_TERMINAL = "there is no terminal to ask on; use --yes, a rule, or a terminal"
_SHOWN_LINES = 200
_TRIES = 3
_WORDS = {"once": "once", "session": "this session", "always": "always", "reject": "reject"}


def can_ask() -> bool:
    """True when a person sees stderr and types on stdin."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


async def ask(question: Mapping[str, Any], stopped: asyncio.Event) -> PermissionAnswer | None:
    """Show ``question`` and wait for an answer; None once ``stopped`` is set.

    The end of the input, or three answers that mean nothing, is a rejection.
    """
    options = tuple(question.get("options") or ("once", "session", "always", "reject"))
    lines = str(question.get("detail", "")).replace("\r\n", "\n").replace("\t", "    ").split("\n")
    detail = [exact(line) for line in lines]
    err = console(stderr=True)
    for piece in _card(question, detail[:_SHOWN_LINES]):
        err.print(piece, soft_wrap=True)
    if len(detail) > _SHOWN_LINES:
        options = (*options, "details")
    forget_what_was_typed()
    for _ in range(_TRIES):
        line = await read_line(_prompt(options, len(detail) - _SHOWN_LINES), stopped)
        if line is None:
            return None
        if line[:1] in ("d", "D") and "details" in options:
            err.print(_coloured(detail[_SHOWN_LINES:]), soft_wrap=True)
            continue
        if (answer := understand(line, options)) is not None:
            return answer
    return PermissionAnswer(outcome="reject", reason="the answer could not be understood")


def understand(line: str, options: Sequence[str]) -> PermissionAnswer | None:
    """An answer by its first letter; ``r REASON`` tells the model why; None: no answer yet."""
    if not line:
        return PermissionAnswer(outcome="reject", reason="the input ended")
    word, _, reason = line.strip().partition(" ")
    match word.lower():
        case "o" | "once" | "y" | "yes" if "once" in options:
            return PermissionAnswer(outcome="once")
        case "s" | "session" if "session" in options:
            return PermissionAnswer(outcome="session")
        case "a" | "always" if "always" in options:
            return PermissionAnswer(outcome="always")
        case "r" | "reject" | "n" | "no":
            return PermissionAnswer(outcome="reject", reason=reason.strip())
    return None


async def read_line(prompt: str, stopped: asyncio.Event) -> str | None:
    """One line from the terminal; None once ``stopped`` is set, empty at the end of the input."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()

    def put(text: str) -> None:
        if not typed.done():
            typed.set_result(text)

    def read() -> None:
        # A bare read holds no lock of Python's, so that leaving never waits for a key.
        try:
            text = os.read(sys.stdin.fileno(), 65_536).decode("utf-8", "replace")
        except OSError:
            text = ""
        with contextlib.suppress(RuntimeError):  # The loop has ended meanwhile.
            loop.call_soon_threadsafe(put, text)

    threading.Thread(target=read, daemon=True).start()
    waiting = asyncio.ensure_future(stopped.wait())
    waiting.add_done_callback(lambda _: typed.cancel())
    try:
        return await typed
    except asyncio.CancelledError:
        if stopped.is_set():
            return None
        raise
    finally:
        waiting.cancel()


def forget_what_was_typed() -> None:
    """What was typed before the question was there is no answer to it."""
    with contextlib.suppress(ImportError, OSError):
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _card(question: Mapping[str, Any], detail: Sequence[str]) -> list[Text]:
    from rich.text import Text

    title = exact(str(question.get("title") or question.get("tool", "")))
    lines = [Text(title, style="bold"), _coloured(detail)]
    if question.get("protected"):
        lines.append(Text("! a protected path: always asked", style="yellow"))
    if (rule := question.get("rule")) and "always" in question.get("options", ()):
        lines.append(Text(f"always records the rule: {exact(str(rule))}", style="dim"))
    lines += [Text(f"! {exact(str(w))}", style="yellow") for w in question.get("warnings", ())]
    return lines


def _coloured(lines: Sequence[str]) -> Text:
    from rich.text import Text

    text = Text()
    for line in lines:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        text.append(f"  {line}\n", style=style)
    return Text("\n").join(text.split("\n", allow_blank=False))


def _prompt(options: Sequence[str], hidden: int) -> str:
    words = dict(_WORDS)
    if "details" in options:
        words["details"] = f"details ({plural(hidden, 'line')} more)"
    choices = [f"[{words[o][0]}]{words[o][1:]}" for o in options if o in words]
    keys = "  ".join(choices).replace("[t]his session", "this [s]ession")
    return f"{keys}, or r REASON: "
