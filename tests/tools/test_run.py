import asyncio
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacore.tools.capture import Capture, Lines, decoded
from novacore.tools.environment import child_environment
from novacore.tools.run import RunTool
from novacore.types import PermissionQuestion


@pytest.fixture
async def tool():
    tool = RunTool()
    yield tool
    await tool.close()


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in ("Z", "X")


async def there(file, lines=1):
    for _ in range(500):
        if file.exists() and file.read_text().count("\n") >= lines:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{file} did not come")


async def gone(*pids):
    for _ in range(100):
        if not any(alive(pid) for pid in pids):
            return True
        await asyncio.sleep(0.02)
    return False


async def test_output_comes_with_the_exit_code_as_its_last_line(tool, context, call):
    outcome = await tool.run(call("run", command="echo out; echo err >&2; printf end"), context)
    assert outcome.text == "out\nerr\nend\nexit code: 0"
    assert (outcome.status, outcome.exit_code, outcome.is_error) == ("ok", 0, False)
    assert outcome.command.startswith("echo out")


@pytest.mark.parametrize(
    ("command", "code"), [("exit 3", 3), ("kill -9 $$", 137), ("no-such-program", 127)]
)
async def test_a_failing_command_is_an_error_with_its_code(tool, context, call, command, code):
    outcome = await tool.run(call("run", command=command), context)
    assert outcome.text.endswith(f"exit code: {code}")
    assert (outcome.status, outcome.exit_code, outcome.is_error) == ("failed", code, True)


async def test_it_has_no_input_and_bytes_of_any_kind_come_through(tool, context, call):
    outcome = await tool.run(call("run", command="cat; printf 'a\\377b\\r\\nc'"), context)
    assert outcome.text == "a\ufffdb\nc\nexit code: 0"


async def test_it_runs_in_a_folder_of_the_workspace_only(tool, context, call, workspace):
    (workspace / "out").symlink_to("/")
    inside = await tool.run(call("run", command="pwd", cwd="src"), context)
    assert inside.text.startswith(str(workspace / "src"))
    for cwd, status in (
        ("..", "denied"),
        ("/", "denied"),
        ("out", "denied"),
        (".git", "denied"),
        ("none", "not_found"),
        ("src/a.py", "not_found"),
    ):
        question = tool.question(call("run", command="pwd", cwd=cwd), context)
        assert question.status == status
        assert (await tool.run(call("run", command="pwd", cwd=cwd), context)).status == status


async def test_the_question_shows_the_command_and_its_warnings(tool, context, call):
    question = tool.question(call("run", command=" cat .env "), context)
    assert isinstance(question, PermissionQuestion)
    assert (question.subject, question.command, question.rule) == (
        "exec",
        "cat .env",
        "exact:cat .env",
    )
    assert question.paths == (str(context.roots[0] / ".env"),)
    assert "does not bind" in question.warnings[-1]
    assert tool.question(call("run"), context).status == "failed"


async def test_a_time_limit_ends_the_command_and_its_children(tool, context, call, workspace):
    command = "echo begun; (trap '' TERM; sleep 600) & echo $! > pid; sleep 600"
    before = time.monotonic()
    outcome = await tool.run(call("run", command=command, timeout=1), context)
    assert time.monotonic() - before < 10
    assert "begun" in outcome.text
    assert "longer than 1 s" in outcome.text
    assert outcome.text.endswith("exit code: none")
    assert (outcome.status, outcome.exit_code) == ("failed", None)
    assert await gone(int((workspace / "pid").read_text()))


async def test_a_cancel_ends_all_children_at_once_and_keeps_what_came(
    tool, context, call, workspace
):
    command = "echo begun; sleep 600 & echo $! > p1; sleep 600 & echo $! > p2; echo $$ > p3; wait"
    came = asyncio.Event()
    context.progress = lambda call_id, text: came.set()
    task = asyncio.ensure_future(tool.run(call("run", command=command), context))
    await came.wait()
    await there(workspace / "p3")
    # The command can be this far before its starting has returned, and then there is no outcome.
    await asyncio.sleep(0.5)
    before = time.monotonic()
    task.cancel()
    outcome = await task
    assert time.monotonic() - before < 1
    assert outcome.status == "interrupted"
    assert outcome.text.startswith("begun\n")
    assert "outcome is unknown" in outcome.text
    assert await gone(*(int((workspace / name).read_text()) for name in ("p1", "p2", "p3")))


async def test_a_process_left_behind_neither_hangs_the_call_nor_stays(
    tool, context, call, workspace
):
    before = time.monotonic()
    outcome = await tool.run(call("run", command="sleep 600 & echo $! > pid; echo done"), context)
    assert time.monotonic() - before < 10
    assert outcome.exit_code == 0
    assert "left running was ended" in outcome.text
    assert await gone(int((workspace / "pid").read_text()))


async def test_long_output_is_kept_at_both_ends_and_whole_in_an_artifact(tool, context, call):
    command = "echo FIRST; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo LAST"
    outcome = await tool.run(call("run", command=command), context)
    assert len(outcome.text) < 2_200_000
    assert "artifact:c1-whole" in outcome.text.partition("\n")[0]
    assert "FIRST" in outcome.text
    assert outcome.text.endswith("LAST\nexit code: 0")
    assert "bytes left out here" in outcome.text
    assert len(context.artifacts.texts["c1-whole"]) == 3_000_012


async def test_progress_comes_in_whole_lines_and_masked(tool, context, call):
    seen = []
    context.progress = lambda call_id, text: seen.append((call_id, text))
    command = "printf 'API_KEY=sk-test-'; sleep 0.3; echo 000111222333; sleep 0.2; echo two"
    await tool.run(call("run", command=command), context)
    assert len(seen) >= 2
    assert all(call_id == "c1" and text.endswith("\n") for call_id, text in seen)
    assert "000111222333" not in "".join(text for _, text in seen)


async def test_a_background_job_is_polled_for_what_is_new_and_stopped(tool, context, call):
    started = await tool.run(
        call("run", command="echo one; sleep 0.3; echo two; sleep 600", background=True), context
    )
    handle = started.text.split()[2].rstrip(".")
    texts = []
    for _ in range(100):
        texts.append((await tool.run(call("run", job=handle), context)).text)
        if "two" in texts[-1]:
            break
        await asyncio.sleep(0.02)
    assert sum("one" in text for text in texts) == 1
    assert any("nothing new" in text for text in texts)
    stopped = await tool.run(call("run", job=handle, stop=True), context)
    assert "[stopped]" in stopped.text
    assert stopped.exit_code is not None
    again = await tool.run(call("run", job=handle), context)
    assert (again.status, again.is_error) == ("not_found", True)


async def test_a_job_that_ends_says_its_code_once(tool, context, call):
    started = await tool.run(call("run", command="echo end; exit 4", background=True), context)
    handle = started.text.split()[2].rstrip(".")
    for _ in range(100):
        outcome = await tool.run(call("run", job=handle), context)
        if outcome.exit_code is not None:
            break
        await asyncio.sleep(0.02)
    assert outcome.exit_code == 4
    assert outcome.text.endswith("exit code: 4")


async def test_jobs_belong_to_a_session_are_bounded_and_end_with_it(tool, context, call, workspace):
    command = "echo $$ >> pids; exec sleep 600"
    outcomes = [
        await tool.run(call("run", command=command, background=True), context) for _ in range(9)
    ]
    assert [outcome.status for outcome in outcomes] == ["ok"] * 8 + ["failed"]
    context.session_id = "another"
    assert (await tool.run(call("run", job="job-1"), context)).status == "not_found"
    await there(workspace / "pids", lines=8)
    await tool.close("s1")
    assert await gone(*map(int, (workspace / "pids").read_text().split()))


async def test_the_child_gets_no_secrets_of_the_environment(tool, context, call, monkeypatch):
    for name in (
        "MY_API_KEY",
        "GH_TOKEN",
        "APP_SECRET",
        "DB_PASSWORD",
        "NOVACORE_X",
        "ANTHROPIC_BASE_URL",
        "AWS_SECRET_ACCESS_KEY",
        "BASH_ENV",
    ):
        monkeypatch.setenv(name, "leak")
    monkeypatch.setenv("KEPT", "kept")
    outcome = await tool.run(call("run", command="env"), context)
    assert "leak" not in outcome.text
    assert "KEPT=kept" in outcome.text
    assert "PYTHONSAFEPATH=1" in outcome.text


def test_the_environment_of_an_untrusted_workspace_imports_nothing_from_it(tmp_path):
    given = {
        "PATH": f"bin:{os.pathsep.join(['/bin', '', '.'])}",
        "PYTHONPATH": f"{tmp_path}/lib:/opt/lib:rel",
    }
    env = child_environment(given, roots=(tmp_path,), trusted=False)
    assert env["PATH"] == "/bin"
    assert env["PYTHONPATH"] == "/opt/lib"
    trusted = child_environment(given, roots=(tmp_path,), trusted=True)
    assert trusted["PYTHONPATH"] == given["PYTHONPATH"]
    assert "PYTHONSAFEPATH" not in trusted


@given(st.lists(st.binary(max_size=40), max_size=12))
def test_a_capture_counts_everything_and_is_bounded(chunks):
    capture = Capture(whole=60, head=20, tail=20)
    for chunk in chunks:
        capture.add(chunk)
    data = b"".join(chunks)
    assert capture.total == len(data)
    if capture.over:
        assert capture.text().startswith(decoded(data[:20]))
        assert capture.text().endswith(decoded(data[-20:]))
        assert f"{len(data) - 40:,} bytes left out" in capture.text()
    else:
        assert capture.text() == decoded(data)
    assert capture.whole().startswith(decoded(data[:60]))


@given(st.text(), st.lists(st.integers(1, 9), min_size=1))
def test_lines_lose_nothing_wherever_the_bytes_are_cut(text, sizes):
    lines, data, out = Lines(), text.encode(), []
    while data:
        size = sizes[len(out) % len(sizes)]
        out.append(lines.add(data[:size]))
        data = data[size:]
    assert all(piece.endswith("\n") for piece in out if piece)
    assert "".join(out) + lines.end() == text
