"""The lines of a log: numbered by line feeds, and bared of what a runner puts before each."""

from __future__ import annotations

import re

LOOK = 400
"""Characters of a line that are read for signs; longer lines are read around their sign."""

READ_LINES = 50_000
"""Lines that are read. Of what is longer than any log that a person reads, the end tells."""

_PREFIX = re.compile(
    r"(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?\ufeff?"  # job and step of a GitHub log
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? ?"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]? "
    r"|\#\d+ \d+\.\d+ )?"  # docker build
)
_COLOUR = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


def split(text: str) -> list[str]:
    """The lines of ``text``, split at 0x0a; a final line feed ends the last line, none starts."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def bare(line: str) -> str:
    """The line without time stamp, job name, colours and trailing blanks; indentation stays."""
    if len(line) > LOOK:
        line = line[:LOOK]
    if "\x1b" in line:
        line = _COLOUR.sub("", line)
    prefix = _PREFIX.match(line)
    return line[prefix.end() if prefix else 0 :].rstrip()
