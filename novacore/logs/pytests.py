"""pytest's own sessions in a log: which stand at the top, how they ended, which tests they name.

A log may hold several sessions one after the other, and, where a plugin is under test, sessions
inside the captured output of another; only those at the top say what failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_START = re.compile(r"=+ test session starts(?: \(.*\))? =+$")
_COUNT = (
    r"\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun"
    r"|subtests passed)"
)
_END = re.compile(
    rf"(?:=+ )?(?:{_COUNT}(?:, {_COUNT})*|no tests (?:ran|collected).*) in [\d.]+ ?s\b.*$"
)
_BAD = re.compile(r"\b[1-9]\d* (?:failed|errors?)\b|^=* ?no tests ran")
_SUMMARY = re.compile(r"=+ short test summary info =+$")
_HEADING = re.compile(r"_+ (\S.*?) _+$")
_ERROR_AT = re.compile(r"ERROR (?:at (?:setup|teardown) of|collecting) (.+)")
_ID = r"(?P<id>[^\s:\[]\S*?\.\w+(?:::[^\s\[:]+)*(?:::[^\s\[:]*\[.*?\])?)"
_NAMED = re.compile(rf"(?:FAILED|ERROR) {_ID}(?: - .*)?$")
_VERBOSE = re.compile(rf"(?:\[gw\d+\] )?{_ID} (?:FAILED|ERROR)(?:\s+\[\s*\d+%\])?$")
_XDIST = re.compile(rf"\[gw\d+\] \[\s*\d+%\] (?:FAILED|ERROR) {_ID}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestSession:
    """Lines ``start`` to ``end`` (0-based, both included) of a session at the top."""

    start: int
    end: int
    failed: bool


def pytest_sessions(lines: Sequence[str]) -> list[PytestSession]:
    """The sessions at the top of a log (bared lines), in order; an unfinished last one counts."""
    marks = list(_marks(lines))
    found: list[PytestSession] = []
    opened: list[int] = []
    begin = 0
    for index, is_start in marks:
        if is_start:
            opened.append(index)
            continue
        start = opened.pop() if opened else begin
        if not opened:
            found.append(
                PytestSession(start=start, end=index, failed=bool(_BAD.search(lines[index])))
            )
            begin = index + 1
    if opened:
        return _unbalanced(lines, marks)
    return found


def _marks(lines: Sequence[str]) -> Iterable[tuple[int, bool]]:
    for index, line in enumerate(lines):
        if line.startswith("=") and _START.match(line):
            yield index, True
        elif " in " in line[:200] and _END.match(line):
            yield index, False


def _unbalanced(lines: Sequence[str], marks: list[tuple[int, bool]]) -> list[PytestSession]:
    # A session was cut off: the last end is that of the outermost, or nothing ended at all.
    first = next(index for index, is_start in marks if is_start)
    ends = [index for index, is_start in marks if not is_start]
    if not ends or marks[-1][1]:
        return [PytestSession(start=first, end=len(lines) - 1, failed=True)]
    return [PytestSession(start=first, end=ends[-1], failed=bool(_BAD.search(lines[ends[-1]])))]


def pytest_failing(lines: Sequence[str], session: PytestSession) -> list[str]:
    """The ids that a failed session names: its summary, else its progress, else its headings."""
    if not session.failed:
        return []
    body = range(session.start, session.end + 1)
    summary = max((i for i in body if _SUMMARY.match(lines[i])), default=None)
    if summary is not None:
        named = _ids(_NAMED, (lines[i] for i in range(summary, session.end)))
        if named:
            return [name for name, _ in sorted(named, key=lambda name: name[1])]
    nested = _inner(lines, session)
    own = [lines[i] for i in body if i not in nested]
    verbose = _ids(_VERBOSE, own) or _ids(_XDIST, own)
    return [name for name, _ in verbose] or _headings(own)


def _ids(pattern: re.Pattern[str], lines: Iterable[str]) -> list[tuple[str, bool]]:
    return [(m["id"], "ERROR " in m[0][:7]) for line in lines if (m := pattern.match(line))]


def _inner(lines: Sequence[str], session: PytestSession) -> set[int]:
    inside: set[int] = set()
    opened: list[int] = []
    for index, is_start in _marks(lines[session.start + 1 : session.end]):
        at = index + session.start + 1
        if is_start:
            opened.append(at)
        elif opened:
            inside.update(range(opened.pop(), at + 1))
    return inside


def _headings(lines: Sequence[str]) -> list[str]:
    names: list[str] = []
    wanted = False
    for line in lines:
        if line.startswith("="):
            wanted = bool(re.match(r"=+ (?:FAILURES|ERRORS) =+$", line))
        elif wanted and line.startswith("_") and (heading := _HEADING.match(line)):
            at = _ERROR_AT.match(heading[1])
            names.append(at[1] if at else heading[1])
    return names
