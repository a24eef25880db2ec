"""Excerpts: what they must show of real logs and of the manners of many tools."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.engine.clean import clean
from novacore.logs import analyse, excerpt, failing_tests, first_error, split
from novacore.logs import shown as rendered
from spill.measure import ci_rows, shown, test_rows
from spill.tool_logs import NOISE, TOOL_LOGS


def test_real_ci_logs_show_an_error_line_and_mostly_the_first(shared):
    rows = ci_rows(shared("data", "ci-logs"))
    assert [row.name for row in rows if not row.any_error] == []
    assert sum(row.first_error for row in rows) >= 10
    assert max(row.chars for row in rows) <= 2000


def test_real_test_logs_name_what_failed_and_nothing_else(shared):
    rows = test_rows(shared("data", "test-logs"))
    assert sum(row.named for row in rows) >= 0.9 * sum(row.expected for row in rows)
    assert max(row.chars for row in rows) <= 2000
    passing = {row.name: row.reported for row in rows if row.name.startswith(("astropy", "pytest"))}
    assert passing == {"astropy__astropy-14365": 0, "pytest-dev__pytest-6197": 0}


def test_a_module_that_failed_to_import_is_named_with_its_exception(shared):
    file = shared("data", "test-logs", "pylint-dev__pylint-4551.txt")
    note, body, _ = shown(file.read_text(encoding="utf-8"))
    assert "tests/unittest_pyreverse_writer.py" in note
    assert "ImportError: cannot import name 'get_annotation'" in body


@pytest.mark.parametrize("tool", TOOL_LOGS)
def test_every_tool_shows_what_failed(tool):
    log = TOOL_LOGS[tool]
    text = f"{NOISE}\n{log.text}\n{NOISE}\n"
    note, body, _ = shown(text)
    assert [part for part in log.shows if part not in note + body] == []
    assert failing_tests(text) == log.failing
    assert first_error(text) in text
    assert first_error(text)


def test_the_first_error_is_the_error_and_not_its_heading_or_a_count():
    log = "[ERROR] COMPILATION ERROR :\n[ERROR] A.java:[3,1] cannot find symbol\n[INFO] 1 error\n"
    assert first_error(log) == "[ERROR] A.java:[3,1] cannot find symbol"
    assert first_error("all went well, 0 errors\n") == ""


def test_long_parametrised_names_give_up_their_common_path_before_any_is_left_out():
    names = [f"tests/unit/test_http.py::TestUrls::test_{n}[{'x' * 130}-{n}]" for n in range(12)]
    log = "\n".join(
        ["=== test session starts ===", NOISE, "=== short test summary info ===",
         *(f"FAILED {name} - assert 1 == 2" for name in names), "=== 12 failed in 0.10s ==="]
    )  # fmt: skip
    chosen = excerpt(log)
    assert chosen.failing == tuple(names)
    assert chosen.note.startswith("failing (12): in tests/unit/test_http.py::TestUrls:: test_0[")
    assert names[6].rpartition("::")[2] in chosen.note


def test_an_output_without_signs_shows_both_ends():
    text = "".join(f"row {n}\n" for n in range(5000))
    note, _, numbers = shown(text)
    assert note == ""
    assert {1, 2, 3, 4999, 5000} <= set(numbers)


def test_a_line_of_megabytes_is_cut_round_its_sign():
    text = "a" * 3_000_000 + " Error: the disk is full " + "b" * 3_000_000
    _, body, numbers = shown("first\n" + text + "\nlast\n")
    assert numbers == [1, 2, 3]
    assert len(body) <= 2000
    _, near, _ = shown("x" * 500_000 + " Error: the disk is full " + "b" * 3_000_000)
    assert "Error: the disk is full" in near


PASSING = {
    "jest": "PASS src/a.test.js\n  ✓ shows error 500 (2 ms)\n  ● Console\n    console.error\n"
    "      Error: expected by the test\nTests:       8 passed, 8 total\n",
    "go": "=== RUN TestFail\n    err_test.go:3: ERROR: shown on purpose\n"
    "--- PASS: TestFail (0.0s)\nPASS\nok  \texample.com/failures\t0.1s\n",
    "cargo": "test tests::fails_well ... ok\ntest result: ok. 4 passed; 0 failed; 0 ignored\n",
    "maven": "[INFO] Tests run: 4, Failures: 0, Errors: 0\nERROR c.a.Api - expected by the test\n"
    "[INFO] BUILD SUCCESS\n",
    "unittest": "test_error (a.T) ... ok\nERROR: logged by the code under test (a.T)\n"
    "test_x (a.T) ... expected failure\n----\nRan 2 tests in 0.001s\n\nOK (expected failures=1)\n",
    "pytest": "tests/a.py::test_error_FAILED PASSED [ 50%]\ntests/a.py::test_b XFAIL [100%]\n"
    "ERROR    app:app.py:3 boom\nXFAIL tests/a.py::test_b - FAILED on purpose\n"
    "=== 1 passed, 1 xfailed in 0.02s ===\n",
    "tap": "ok 1 - not ok is a word\nnot ok 2 - later # TODO not done\n# fail 0\n",
    "ctest": "1/2 Test #1: error_path ....   Passed    0.01 sec\n"
    "100% tests passed, 0 tests failed\n",
}


@pytest.mark.parametrize("tool", PASSING)
def test_nothing_is_reported_failing_where_all_passed(tool):
    assert failing_tests(PASSING[tool]) == ()


def test_sessions_inside_the_output_of_another_are_not_its_failures():
    start = "=== test session starts ==="
    inner = f"{start}\nFAILED test_x.py::test_1 - assert 0\n=== 1 failed in 0.01s ==="
    summary = "=== short test summary info ==="
    outer = [start, inner, summary, "FAILED tests/own.py::test_own"]
    good = "\n".join([start, inner, NOISE, "=== 9 passed in 1.00s ==="])
    bad = "\n".join([*outer, "=== 1 failed, 8 passed in 1.00s ==="])
    assert failing_tests(good) == ()
    assert failing_tests(bad) == ("tests/own.py::test_own",)
    assert failing_tests(f"{good}\n{bad}\n") == ("tests/own.py::test_own",)
    assert "1 failed" not in shown(NOISE + "\n" + good)[1]


def test_a_session_that_was_cut_off_still_names_what_it_had_seen():
    log = "=== test session starts ===\ntests/a.py::test_x FAILED [ 10%]\ntests/a.py::test_y PASSED"
    assert failing_tests(log) == ("tests/a.py::test_x",)


LINES = st.lists(
    st.one_of(
        st.text(max_size=60).filter(lambda s: "\n" not in s),
        st.sampled_from(
            [
                "E   ValueError: x",
                "FAILED tests/a.py::test_b",
                "=== 1 failed in 0.1s ===",
                "x" * 900,
            ]
        ),
    ),
    max_size=60,
)


@given(LINES, st.integers(min_value=0, max_value=3000))
@settings(max_examples=150, deadline=None)
def test_excerpts_are_lines_of_the_text_in_order_and_within_their_room(rows, room):
    text = "\n".join(rows)
    chosen = excerpt(text, room)
    lines = split(text)
    numbers = [n for r in chosen.ranges for n in range(r.start_line, r.end_line + 1)]
    assert numbers == sorted(set(numbers))
    assert not numbers or (numbers[0] >= 1 and numbers[-1] <= len(lines))
    assert len(rendered(analyse(text), chosen, room)) <= room
    assert all(name in text for name in failing_tests(clean(text)))
