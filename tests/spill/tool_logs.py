"""Short logs in the manner of many tools: what fails, and what an excerpt must show of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ToolLog:
    tool: str
    text: str
    shows: tuple[str, ...]
    failing: tuple[str, ...] = ()


NOISE = "\n".join(
    f"  step {n:03}: fetched module-{n} from cache, no errors, checksum ok" for n in range(120)
)

_CASES = [
    ToolLog(
        "jest",
        """\
PASS src/cart.test.js
FAIL src/price.test.js
  Price
    ✓ shows an error message for 0 (3 ms)
    ✕ rounds half up (5 ms)

  ● Price › rounds half up

    expect(received).toBe(expected) // Object.is equality

    Expected: 1.01
    Received: 1

      at Object.<anonymous> (src/price.test.js:14:22)

Tests:       1 failed, 7 passed, 8 total
Time:        1.2 s""",
        ("src/price.test.js:14:22", "1 failed, 7 passed"),
        ("rounds half up", "Price › rounds half up"),
    ),
    ToolLog(
        "vitest",
        """\
 ❯ src/sum.test.ts (2 tests | 1 failed) 4ms
   × adds two numbers 3ms
     → expected 3 to be 4 // Object.is equality
 FAIL  src/sum.test.ts > sum > adds two numbers
AssertionError: expected 3 to be 4 // Object.is equality
 ❯ src/sum.test.ts:5:20
 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)""",
        ("AssertionError: expected 3 to be 4",),
        ("adds two numbers", "src/sum.test.ts > sum > adds two numbers"),
    ),
    ToolLog(
        "mocha",
        """\
  Ledger
    ✓ opens
    1) closes the year

  5 passing (12ms)
  1 failing

  1) Ledger
       closes the year:
     AssertionError [ERR_ASSERTION]: 3 == 4
      at Context.<anonymous> (test/ledger.js:9:14)""",
        ("AssertionError", "test/ledger.js:9:14"),
        ("closes the year",),
    ),
    ToolLog(
        "go test",
        """\
=== RUN   TestParse/empty_error
--- FAIL: TestParse (0.00s)
    --- FAIL: TestParse/empty_error (0.00s)
        parse_test.go:31: got "x", want ""
FAIL
FAIL\texample.com/parse\t0.004s
ok  \texample.com/errors\t0.010s
# example.com/broken
broken/main.go:7:2: undefined: missing
FAIL\texample.com/broken [build failed]""",
        ("parse_test.go:31", "broken/main.go:7:2: undefined: missing"),
        ("TestParse", "TestParse/empty_error", "example.com/broken"),
    ),
    ToolLog(
        "cargo test",
        """\
running 3 tests
test tests::error_is_shown ... ok
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----
thread 'tests::adds' panicked at src/lib.rs:17:9:
assertion `left == right` failed

test result: FAILED. 2 passed; 1 failed; 0 ignored""",
        ("panicked at src/lib.rs:17:9", "1 failed"),
        ("tests::adds",),
    ),
    ToolLog(
        "cargo build",
        """\
   Compiling demo v0.1.0
error[E0308]: mismatched types
  --> src/main.rs:4:18
   |
4  |     let x: i32 = "a";
error: could not compile `demo` (bin "demo") due to 1 previous error""",
        ("error[E0308]: mismatched types", "src/main.rs:4:18"),
    ),
    ToolLog(
        "gradle",
        """\
> Task :core:test

PriceTest > roundsHalfUp() FAILED
    org.opentest4j.AssertionFailedError at PriceTest.java:22

12 tests completed, 1 failed

FAILURE: Build failed with an exception.
BUILD FAILED in 8s""",
        (
            "org.opentest4j.AssertionFailedError at PriceTest.java:22",
            "12 tests completed, 1 failed",
        ),
        ("PriceTest > roundsHalfUp()",),
    ),
    ToolLog(
        "maven",
        """\
[INFO] Running com.acme.PriceTest
[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE! -- in com.acme.PriceTest
[ERROR] com.acme.PriceTest.roundsHalfUp -- Time elapsed: 0.01 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <2> but was: <1>
\tat com.acme.PriceTest.roundsHalfUp(PriceTest.java:22)
[INFO] BUILD FAILURE
[ERROR] Re-run Maven using the -X switch to enable full debug logging.""",
        ("expected: <2> but was: <1>", "PriceTest.java:22"),
        ("com.acme.PriceTest.roundsHalfUp",),
    ),
    ToolLog(
        "tsc",
        """\
src/api/client.ts(42,7): error TS2322: Type 'string' is not assignable to type 'number'.
Found 1 error in src/api/client.ts:42""",
        ("src/api/client.ts(42,7): error TS2322",),
    ),
    ToolLog(
        "eslint",
        """\
/app/src/errors.js
  3:10  warning  'fail' is assigned a value but never used  no-unused-vars
  9:1   error    Unexpected console statement               no-console

✖ 2 problems (1 error, 1 warning)""",
        ("9:1   error    Unexpected console statement", "2 problems (1 error"),
    ),
    ToolLog(
        "gcc and make",
        """\
gcc -Wall -Werror -c src/error.c -o build/error.o
gcc -Wall -Werror -c src/list.c -o build/list.o
src/list.c: In function 'push':
src/list.c:88:12: error: 'node' undeclared (first use in this function)
make: *** [Makefile:12: build/list.o] Error 1""",
        ("src/list.c:88:12: error: 'node' undeclared", "make: *** [Makefile:12"),
    ),
    ToolLog(
        "linker",
        """\
/usr/bin/ld: build/main.o: in function `main':
main.c:(.text+0x15): undefined reference to `start'
collect2: error: ld returned 1 exit status""",
        ("undefined reference to `start'", "ld returned 1 exit status"),
    ),
    ToolLog(
        "npm",
        """\
npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error Found: react@18.2.0
npm error A complete log of this run can be found in: /root/.npm/_logs/x.log""",
        ("npm error code ERESOLVE", "unable to resolve dependency tree"),
    ),
    ToolLog(
        "docker build",
        """\
#9 [5/7] RUN pip install -r requirements.txt
#9 2.114 ERROR: Could not find a version that satisfies the requirement foo==9.9
#9 ERROR: process "/bin/sh -c pip install" did not complete successfully: exit code: 1
ERROR: failed to solve: process "/bin/sh -c pip install" did not complete: exit code: 1""",
        ("Could not find a version that satisfies the requirement foo==9.9", "exit code: 1"),
    ),
    ToolLog(
        "ruff",
        """\
src/app.py:3:8: F401 [*] `os` imported but unused
src/app.py:9:1: E999 SyntaxError: unexpected indent
Found 2 errors.""",
        ("src/app.py:9:1: E999 SyntaxError", "Found 2 errors."),
    ),
    ToolLog(
        "mypy",
        """\
src/app.py:12: error: Incompatible return value type (got "str", expected "int")  [return-value]
Found 1 error in 1 file (checked 40 source files)""",
        ("src/app.py:12: error: Incompatible return value type", "Found 1 error"),
    ),
    ToolLog(
        "ctest",
        """\
      Start  3: list_push
 3/10 Test  #3: list_push ........................***Failed    0.02 sec
80% tests passed, 2 tests failed out of 10
The following tests FAILED:
\t  3 - list_push (Failed)
\t  7 - list_pop (SEGFAULT)
Errors while running CTest""",
        ("2 tests failed out of 10",),
        ("list_push", "list_pop"),
    ),
    ToolLog(
        "gtest",
        """\
[ RUN      ] Error.IsShown
[       OK ] Error.IsShown (0 ms)
[ RUN      ] List.Push
test/list_test.cc:14: Failure
Expected equality of these values:
[  FAILED  ] List.Push (1 ms)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] List.Push""",
        ("test/list_test.cc:14: Failure",),
        ("List.Push",),
    ),
    ToolLog(
        "phpunit",
        """\
There was 1 failure:

1) Acme\\PriceTest::testRounds
Failed asserting that 1 matches expected 2.

/app/tests/PriceTest.php:18

FAILURES!
Tests: 9, Assertions: 20, Failures: 1.""",
        ("Failed asserting that 1 matches expected 2.", "Failures: 1"),
        ("Acme\\PriceTest::testRounds",),
    ),
    ToolLog(
        "rspec",
        """\
Failures:

  1) Price rounds half up
     Failure/Error: expect(price.round).to eq(2)

       expected: 2
            got: 1
     # ./spec/price_spec.rb:7:in `block (2 levels) in <top (required)>'

8 examples, 1 failure

Failed examples:

rspec ./spec/price_spec.rb:5 # Price rounds half up""",
        ("Failure/Error: expect(price.round).to eq(2)", "8 examples, 1 failure"),
        ("./spec/price_spec.rb:5",),
    ),
    ToolLog(
        "dotnet",
        """\
  Failed Acme.PriceTests.RoundsHalfUp [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
/src/Api.cs(10,13): error CS0103: The name 'x' does not exist in the current context
Failed!  - Failed:     1, Passed:     7, Skipped:     0, Total:     8""",
        ("/src/Api.cs(10,13): error CS0103", "Failed:     1"),
        ("Acme.PriceTests.RoundsHalfUp",),
    ),
    ToolLog(
        "TAP",
        """\
ok 1 - error is shown
not ok 2 - rounds half up
not ok 3 - later # TODO not done
# fail 1""",
        ("not ok 2 - rounds half up",),
        ("rounds half up",),
    ),
    ToolLog(
        "GitHub Actions",
        """\
2024-05-01T10:00:00.1234567Z ##[group]Run ./deploy.sh
2024-05-01T10:00:02.1234567Z Uploading bundle
2024-05-01T10:00:03.1234567Z curl: (22) The requested URL returned error: 403
2024-05-01T10:00:04.1234567Z ##[error]Process completed with exit code 22.
2024-05-01T10:00:05.1234567Z Cleaning up orphan processes""",
        ("returned error: 403", "Process completed with exit code 22"),
    ),
    ToolLog(
        "nested unittest",
        """\
test_error_page (shop.tests.PageTests) ... ok
test_total (shop.tests.CartTests) ... FAIL

======================================================================
FAIL: test_total (shop.tests.CartTests)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/app/shop/tests.py", line 31, in test_total
    self.assertEqual(total, 3)
AssertionError: 2 != 3

======================================================================
ERROR: broken (unittest.loader._FailedTest)
----------------------------------------------------------------------
ImportError: Failed to import test module: broken
ModuleNotFoundError: No module named 'nowhere'

----------------------------------------------------------------------
Ran 12 tests in 0.044s

FAILED (failures=1, errors=1)""",
        ("AssertionError: 2 != 3", 'tests.py", line 31', "No module named 'nowhere'"),
        ("test_total (shop.tests.CartTests)", "broken (unittest.loader._FailedTest)"),
    ),
    ToolLog(
        "pytest quiet",
        """\
..F                                                                      [100%]
=================================== FAILURES ===================================
________________________________ TestA.test_b[x] _______________________________
    def test_b(self, x):
>       assert x == "y"
E       AssertionError: assert 'x' == 'y'
tests/test_a.py:4: AssertionError
1 failed, 2 passed in 0.02s""",
        ("assert 'x' == 'y'", "tests/test_a.py:4"),
        ("TestA.test_b[x]",),
    ),
    ToolLog(
        "tox",
        """\
py311: commands[0]> ./check.sh
py311: exit 2 (0.10 seconds) /app> ./check.sh
  py311: FAIL code 2 (0.20=setup[0.10]+cmd[0.10] seconds)
  evaluation failed :( (0.30 seconds)""",
        ("py311: FAIL code 2",),
        ("py311",),
    ),
    ToolLog(
        "python program",
        """\
INFO starting, error handling on
Traceback (most recent call last):
  File "/app/main.py", line 12, in <module>
    run(config["port"])
KeyError: 'port'""",
        ("KeyError: 'port'", 'File "/app/main.py", line 12'),
    ),
]

TOOL_LOGS = {case.tool: case for case in _CASES}
