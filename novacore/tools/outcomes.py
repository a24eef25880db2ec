"""The outcomes of calls that gave none of their own, in words that tell the reasons apart."""

from __future__ import annotations

from collections.abc import Iterable

from novacore.types import Status, ToolCall, ToolOutcome

DONE: frozenset[Status] = frozenset({"ok", "unchanged"})
"""After any other the effectful calls behind it in the same message do not run."""


def failed(text: str) -> ToolOutcome:
    """The call could not be carried out, or broke while it was."""
    return ToolOutcome(text=text, status="failed", is_error=True)


def not_offered(call: ToolCall, offered: Iterable[str]) -> ToolOutcome:
    """The model named a tool that it was not given."""
    from rapidfuzz import process

    names = sorted(offered)
    near = [name for name, score, _ in process.extract(call.name, names, limit=3) if score >= 60]
    hint = f"; nearest: {', '.join(near)}" if near else f"; there are {', '.join(names) or 'none'}"
    return failed(f"There is no tool {call.name[:100]!r} here{hint}.")


def invalid(call: ToolCall, wrong: Iterable[str]) -> ToolOutcome:
    """The input does not fit the tool's schema."""
    return failed(f"{call.name}: {'; '.join(list(wrong)[:5])}. Nothing was done; call it again.")


def placeholder(call: ToolCall) -> ToolOutcome:
    """An argument that is nothing but the stub of a text that left the window."""
    return failed(
        f"{call.name}: an argument is the <persisted-output> placeholder of a text that is not"
        " shown here. Nothing was done; give the text itself, which its artifact holds."
    )


def not_recorded(error: Exception) -> ToolOutcome:
    """No record, no effect. Its status is one after which nothing has happened."""
    return ToolOutcome(
        text=f"Not started, since it could not be recorded: {error}. Nothing was done.",
        status="unsupported",
        is_error=True,
    )


def denied(reason: str) -> ToolOutcome:
    """A rule said no."""
    return ToolOutcome(text=reason, status="denied", is_error=True)


def rejected(reason: str) -> ToolOutcome:
    """A person said no."""
    said = f" They said: {reason}" if reason else ""
    return ToolOutcome(
        text=f"The user did not approve this call; nothing was done.{said}",
        status="rejected",
        is_error=True,
    )


def sibling_failed(call: ToolCall) -> ToolOutcome:
    """Another effectful call of the same message failed before this one began."""
    return ToolOutcome(
        text=f"{call.name} was not started, because a parallel call failed. Nothing was done;"
        " look at that failure first, then call it again if it is still right.",
        status="sibling_failed",
        is_error=True,
    )


def user_stopped(call: ToolCall) -> ToolOutcome:
    """A person stopped the turn before this call began."""
    return ToolOutcome(
        text=f"{call.name} was not started: the user stopped the turn before it.",
        status="user_stopped",
        is_error=True,
    )


def interrupted(call: ToolCall, *, read_only: bool) -> ToolOutcome:
    """A person stopped the turn while this call ran."""
    tail = (
        "It changes nothing, so that it can be called again."
        if read_only
        else "Its outcome is unknown: check what happened before it is repeated."
    )
    return ToolOutcome(
        text=f"{call.name} was interrupted when the user stopped the turn. {tail}",
        status="interrupted",
        is_error=True,
    )
