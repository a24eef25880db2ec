"""One line for a person, made of text that a plugin may have written."""

from __future__ import annotations

import traceback

LINE = 300
TRACE = 4_000


def one_line(text: str, limit: int = LINE) -> str:
    """``text`` without line breaks, control characters and surrogates, at most ``limit`` long."""
    shown = "".join(c if c.isprintable() else " " for c in text[: limit * 4])
    shown = " ".join(shown.split())
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def describe(error: BaseException) -> str:
    """The type and message of an error whose ``__str__`` may itself raise."""
    name = type(error).__name__
    try:
        message = one_line(str(error))
    except BaseException as second:
        message = f"(its message raised {type(second).__name__})"
    return f"{name}: {message}" if message else name


def frames(error: BaseException) -> str:
    """The last frames of the traceback, at most 4,000 characters; no values.

    Not by ``traceback.format_tb``: until Python 3.13 that parses source for its carets, and
    parsing in two threads at once can raise SystemError in either (CPython issue 106905).
    """
    lines = [
        f'File "{frame.filename}", line {frame.lineno}, in {frame.name}\n  {frame.line}\n'
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    return "".join(lines)[-TRACE:].encode("utf-8", "replace").decode()
