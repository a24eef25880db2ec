"""Whether a command's output is a log, or something that was asked for."""

from __future__ import annotations

from novacore.logs.lines import split
from novacore.logs.signs import VERDICT, signs
from novacore.logs.tools import announced

_SCORED_LINES = 3
_READ = 10_000
"""Lines at each end that are read."""


def is_log(text: str, command: str, exit_code: int | None) -> bool:
    """A failed command, a known tool, or at least three lines that speak of failure.

    A diff or listing that was asked for (``git diff``, ``ls``, ``grep``) is none, however it ended.
    """
    kind = announced(command)
    if kind == "listing":
        return False
    if kind == "log" or exit_code not in (0, None):
        return True
    lines = split(text)
    ends = lines if len(lines) <= 2 * _READ else lines[:_READ] + lines[-_READ:]
    return sum(sign.score >= VERDICT for sign in signs(ends)) >= _SCORED_LINES
