"""What excerpts show of real logs: rows for the benchmark, asserted by the tests."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from novacore.engine.clean import clean
from novacore.logs import analyse, excerpt, failing_tests
from novacore.logs import shown as rendered


@dataclass(frozen=True)
class CiRow:
    name: str
    chars: int
    any_error: bool
    first_error: bool


@dataclass(frozen=True)
class TestRow:
    __test__ = False
    name: str
    chars: int
    expected: int
    named: int
    reported: int


def shown(text, max_chars=2000):
    """The note and the lines of an excerpt as a model sees them, and the numbers of the lines."""
    chosen = excerpt(text, max_chars)
    numbers = [n for r in chosen.ranges for n in range(r.start_line, r.end_line + 1)]
    body = rendered(analyse(text), replace(chosen, note=""), max_chars)
    return chosen.note, body, numbers


def ci_row(folder):
    # The annotators counted a lone CR as a line end; cleaned line by line the numbers stay theirs.
    raw = (folder / "fail.log").read_bytes().decode("utf-8", "replace")
    text = "\n".join(clean(line) for line in re.split(r"\r\n|\n|\r", raw))
    note, body, numbers = shown(text)
    errors = _error_lines(folder / "groundtruth")
    return CiRow(
        folder.name,
        len(note) + len(body),
        bool(errors.intersection(numbers)),
        min(errors) in numbers,
    )


def _error_lines(file):
    lines = set()
    for row in file.read_text().splitlines()[1:]:
        kind, _, span = row.partition(" ")
        if kind == "E":
            first, _, last = span.partition("-")
            lines.update(range(int(first), int(last or first) + 1))
    return lines


def ci_rows(shared):
    return [ci_row(folder) for folder in sorted(shared.iterdir()) if folder.is_dir()]


def test_rows(folder):
    truth = json.loads((folder / "truth.json").read_text())
    return [_test_row(folder, name, entry) for name, entry in sorted(truth.items())]


test_rows.__test__ = False


def _test_row(folder, name, entry):
    text = clean((folder / f"{name}.txt").read_bytes().decode("utf-8", "replace"))
    note, body, _ = shown(text)
    expected = [test for test in entry["expected_failures_among_tracked"] if test in text]
    return TestRow(
        name,
        len(note) + len(body),
        len(expected),
        sum(test in note or test in body for test in expected),
        len(failing_tests(text)),
    )
