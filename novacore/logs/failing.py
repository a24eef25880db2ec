"""The failing cases that a test run names, as it spells them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from novacore.logs.lines import READ_LINES, bare, split
from novacore.logs.pytests import pytest_failing, pytest_sessions

# One pattern a runner; group 1 is the name. Only words that a runner prints for a failed case.
_PATTERNS = (
    r"\s*--- FAIL: (\S+)",  # go
    r"FAIL\t(\S+) \[(?:build|setup) failed\]",
    r"test (\S.*?) \.\.\. FAILED$",  # cargo, libtest
    r"\s*FAIL \[\s*[\d.]+s\] (?:\(.*?\) )?\S+ (\S+)$",  # nextest
    r"(?:\[ERROR\]\s+)?([\w.$]+(?:\[.*?\])?)\([\w.$]+\)\s+(?:-- )?Time elapsed: .*<<< [FE]",
    r"\[ERROR\]\s+([\w.$]+(?:\[.*?\]|\(.*?\))?)\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!",
    r"\[ERROR\] {2,}([\w$]+(?:\.[\w$]+)+(?:\[.*?\])?)(?::\d+|->|  ?»| expected)",
    r"(\S.* > \S.*) FAILED$",  # gradle
    r"\[  FAILED  \] ([\w/]+\.[\w/]+)",  # gtest
    r"\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Exception.*|.* aborted|Not Run)\)$",  # ctest
    r"\d+\) ([\w\\]+::\w+(?: with data set .*)?)$",  # phpunit
    r"rspec (\./\S+:\d+|\./\S+\[[\d:]+\])",
    r"\s+(?:Failed|X) ([\w.`+<>]+(?:\(.*\))?) \[(?:< )?[\d.]+ ?m?s\]",  # dotnet
    r"Test Case '(.+?)' failed \(",  # xctest
    r"not ok \d+ (?:- )?(?!.*# (?:TODO|SKIP|todo|skip))(.+?)\s*$",  # TAP
    r"\s*[✕✗✖×] (?!\d+ problem)(.+?)(?: \(?[\d.]+ ?m?s\)?)?(?: \[.*\])?$",  # jest, vitest, node
    r"\s*● (?!Console|Cannot log)(.+ › .+)$",
    r" FAIL  (\S+ > .+?)(?: \[.*\])?$",  # vitest
    r"_+ (\S+\.py:\w+) _+$",  # sympy
)
_RUNNERS = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))
_MAYBE = re.compile(r"(?i)fail|<<< ERR|not ok|rspec|::| - |[✕✗✖×●]|\.py:|\[ERROR\] {2}")
_MODULE = re.compile(r"(?:FAIL)\s+(\S+\.(?:[cm]?[jt]sx?|vue|svelte))\b|(?:FAIL)\t(\S+)(?:\t|$)")
_ENVIRONMENT = re.compile(r"\s*(?:ERROR:\s+(\S+): commands failed|(\S+): FAIL code \d+)")

_UNITTEST = re.compile(r"(?:FAIL|ERROR): (\w+(?: \([\w.<>]+\))?)")
_UNITTEST_VERBOSE = re.compile(r"(\w+ \([\w.<>]+\)).*? \.\.\. (?:FAIL|ERROR)$")
_MOCHA_COUNT = re.compile(r"\s*[1-9]\d* failing$")
_NUMBERED = re.compile(r"(\s*)\d+\) (.+?):?$")
_SUMMARY_FAILURE = re.compile(r"(?:Failure|Error):$")
_MINITEST = re.compile(r"(\S+#\w+)(?: \[.+\])?:?$")


def failing_tests(text: str) -> tuple[str, ...]:
    """The names of the tests that failed, each as it stands in ``text``, in order, once.

    Understands pytest, unittest, sympy, go, cargo, surefire, gradle, JUnit, mocha, jest, vitest,
    gtest, ctest, phpunit, rspec, dotnet, TAP; of a run that names no test the failed module or
    tox environment. Names in what a passing session printed are not failures.
    """
    return failing_in([bare_long(line) for line in split(text)[-READ_LINES:]])


def bare_long(line: str) -> str:
    """Like ``bare``, for names: parametrised ids may be long, but not longer than 2,000."""
    return bare(line) if len(line) <= 400 else line[:2000].rstrip()


def failing_in(lines: Sequence[str]) -> tuple[str, ...]:
    """``failing_tests`` of lines that are bared already."""
    sessions = pytest_sessions(lines)
    names = [name for session in sessions for name in pytest_failing(lines, session)]
    rest = list(lines)
    for session in sessions:
        rest[session.start : session.end + 1] = [""] * (session.end + 1 - session.start)
    readers: tuple[Callable[[Sequence[str]], Iterator[str]], ...] = (
        _unittest,
        _by_pattern,
        _mocha,
        _minitest,
    )
    names += [name for reader in readers for name in reader(rest)]
    names = names or [*_first_group(_MODULE, rest), *_first_group(_ENVIRONMENT, rest)]
    longer = {name.rpartition(".")[2] for name in names if "." in name}
    return tuple(name for name in dict.fromkeys(names) if name not in longer)


def _by_pattern(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if _MAYBE.search(line) and (match := _RUNNERS.match(line)):
            name = next(group for group in match.groups() if group)
            yield name.strip()


def _unittest(lines: Sequence[str]) -> Iterator[str]:
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith(("FAIL: ", "ERROR: ")) and before.startswith("====="):
            if match := _UNITTEST.match(line):
                yield match[1]
        elif line.endswith((" ... FAIL", " ... ERROR")) and (
            match := _UNITTEST_VERBOSE.match(line)
        ):
            yield match[1]


def _mocha(lines: Sequence[str]) -> Iterator[str]:
    start = next((i for i, line in enumerate(lines) if _MOCHA_COUNT.match(line)), len(lines))
    title, indent = "", -1
    for line in lines[start + 1 :]:
        numbered = _NUMBERED.match(line)
        if numbered and (indent < 0 or len(numbered[1]) == indent):
            indent, title = len(numbered[1]), numbered[2]
        elif title and line.strip():
            title = line.strip()
        if title and line.endswith(":"):
            yield title.removesuffix(":")
            title = ""


def _minitest(lines: Sequence[str]) -> Iterator[str]:
    for before, line in itertools.pairwise(lines):
        if _SUMMARY_FAILURE.match(before.strip()) and (match := _MINITEST.match(line.strip())):
            yield match[1]


def _first_group(pattern: re.Pattern[str], lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if match := pattern.match(line):
            yield next(group for group in match.groups() if group)
