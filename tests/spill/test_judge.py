"""What is a log: a failed command, a known tool, lines that speak of failure; never a listing."""

from __future__ import annotations

import pytest

from novacore.logs import is_log


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "cd app && FOO=1 timeout 60 python3.11 -m pytest tests | tail -50",
        "uv run --frozen pytest",
        "poetry run tox -e py311",
        "sudo -E env CI=1 make -j4 all",
        'bash -lc "cd x && npm test"',
        "./gradlew build 2>&1 | tee out.log",
        "python tests/runtests.py",
        "npx -y jest",
        "cargo test; git status",
        "C:\\tools\\mvn.cmd verify",
    ],
)
def test_a_known_tool_makes_a_log(command):
    assert is_log("fine\n", command, 0)


ERRORS = "error: a\nerror: b\nerror: c\n"


@pytest.mark.parametrize(
    "command",
    [
        "git -C app diff HEAD~1",
        "git log -p | head -500",
        "ls -laR 2>&1",
        "cd src && grep -rn error: .",
        "rg 'error|fail' && cat pytest.log",
        "pip list",
        "diff -u a b",
        "npm ls",
    ],
)
def test_what_was_asked_for_is_none_however_it_ended(command):
    assert not is_log(ERRORS, command, 0)
    assert not is_log(ERRORS, command, 1)


def test_other_commands_are_judged_by_how_they_ended_and_what_they_said():
    assert is_log("nothing\n", "./check.sh", 3)
    assert is_log(ERRORS, "./check.sh", 0)
    assert is_log(ERRORS, "", None)
    assert not is_log("error: a\nerror: b\n", "./check.sh", 0)
    assert not is_log("3 items, 0 errors\n" * 9, "./check.sh", None)
