"""The state folder: no secret in it, private to its owner, and what happens on a bad disk.

P29 F2 and F4, and P04 F8 (S6, S7), through the whole service.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys

import pytest

from fakellm import FakeServer, Scripted, Text, ToolUse, Turn
from service.project_kit import (
    environment,
    json_lines,
    make_project,
    novacore,
    sessions_folder,
    user_config,
)
from service.turns_kit import (
    Watch,
    blocks,
    check_wire,
    log_of,
    notices,
    results,
    say,
    serving,
    state_files,
    text_of,
)

SECRET = "sk-test-000111222333"
"""The case's own."""


@pytest.fixture
def project(tmp_path):
    made = make_project(tmp_path / "project")
    (made / ".env").write_text(f"API_KEY={SECRET}\n")
    (made / "env_link").symlink_to(".env")
    (made / "leak.py").write_text(f'print("API_KEY={SECRET}")\n')
    (made / "settings.py").write_text(f'API_KEY = "{SECRET}"\n\n\ndef f():\n    return API_KEY\n')
    noise = "\\n".join(f"line {n} ok" for n in range(20))
    (made / "flood.py").write_text(
        f'print("\\n".join(f"step {{i}} API_KEY={SECRET} {noise}" for i in range(900)))\n'
    )
    return made


# --- P29 F2: no secret at rest, none in a request -----------------------------------------------


CALLS = (
    ToolUse("read", {"path": ".env"}),
    ToolUse("read", {"path": "env_link"}),
    ToolUse("search", {"pattern": "API_KEY"}),
    ToolUse("glob", {"pattern": "**/*"}),
    ToolUse("read", {"path": "settings.py"}),
    ToolUse("read", {"path": "settings.py", "symbol": "API_KEY"}),
    ToolUse("find", {"name": "API_KEY"}),
    ToolUse("read", {"path": "settings.py", "start_byte": 0, "end_byte": 400}),
    ToolUse("plan", {"items": [{"text": f"rotate API_KEY={SECRET}", "status": "doing"}]}),
    ToolUse("history", {"query": f"API_KEY={SECRET}"}),
)
COMMANDS = (
    ToolUse("run", {"command": f"python leak.py API_KEY={SECRET}"}),
    ToolUse("run", {"command": "python flood.py"}),
    ToolUse("run", {"command": "python leak.py; exit 3"}),
)


@pytest.fixture
async def worked(project):
    """A whole session that meets the secret at every door: said, read, found, run, edited."""
    user_config(
        '[permissions]\nallow = ["python *", "exit *"]\ndeny_paths = ["**/.env", "**/*.pem"]\n'
    )

    def edit(request):
        change = {"old": "def f():", "new": f'TOKEN = "API_KEY={SECRET}"\n\n\ndef f():'}
        where = {"path": "settings.py", "version": "0" * 16, "edits": [change]}
        written = {"path": "new.py", "content": f'KEY = "{SECRET}"\n'}
        return Turn((ToolUse("edit", where), ToolUse("write", written)))

    script = [
        Turn((Text(f"The key is API_KEY={SECRET}."), *CALLS)),
        *[Turn((call,)) for call in COMMANDS],
        edit,
        Turn.say(f"Rotated API_KEY={SECRET}."),
    ]
    async with FakeServer(Scripted(script)) as fake:
        async with serving(project, fake, assume_yes=True) as service:
            session = (await service.new_session()).id
            watch = Watch(service, session, f"Use API_KEY={SECRET} please.")
            await watch.until(lambda e: e.kind == "text")
            await service.steer(session, f"And again: API_KEY={SECRET}")
            await watch.task
            await service.compact(session)
            await say(service, session, "Once more.")
            service.context(session)
        yield fake, session, watch.events


async def test_p29_f2_the_secret_is_in_no_file_and_in_no_request(worked, shared):
    fake, session, events = worked
    assert events[-1].data["stopReason"] == "end_turn"
    for path in state_files():
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
    assert all(SECRET not in json.dumps(request.body) for request in fake.requests)
    check_wire(shared, fake)
    got = [text for text, _ in results(fake.requests[-1].body).values()]
    assert any("[secret:" in text for text in got)
    manifest = json.dumps([e["data"] for e in log_of(session)])
    assert "[secret:" in manifest


async def test_the_files_of_the_person_stay_as_they_are(worked, project):
    assert (project / ".env").read_text() == f"API_KEY={SECRET}\n"
    assert SECRET in (project / "settings.py").read_text()


# --- P29 F4: private ------------------------------------------------------------------------------


async def test_p29_f4_files_are_0600_and_folders_0700(worked):
    kinds = set()
    for path in state_files():
        assert not path.is_symlink(), path
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), f"{path}: {mode:o}"
        kinds.add(path.name)
    assert {"events.jsonl", "meta.json", "trace.jsonl", "requests.jsonl", "tool-results"} <= kinds


def test_p29_f4_whatever_the_umask_and_the_command(project):
    user_config('[permissions]\nallow = ["python *"]\n')
    call = Turn((ToolUse("run", {"command": "python leak.py"}),))
    with FakeServer(Scripted([call])) as fake:
        env = environment(fake.url)
        before = os.umask(0)
        try:
            for words in (("ask", "Go.", "--yes"), ("trust", "--yes")):
                done = novacore(*words, cwd=project, env=env)
                assert done.returncode == 0, done.stderr
        finally:
            os.umask(before)
    for path in state_files():
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


# --- P04 F8: a disk that refuses ------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path, monkeypatch):
    """A state folder on a disk of 1 MB; gives it, with the means to fill and to clear it."""
    folder = tmp_path / "disk"
    folder.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("no right to mount a small disk here")
    monkeypatch.setenv("NOVACORE_STATE_DIR", str(folder))
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


FILL = """import errno, os, sys
fill = os.open({place!r}, os.O_WRONLY | os.O_CREAT, 0o600)
for size in (65536, 4096, 512, 1):
    try:
        while True:
            os.write(fill, b"x" * size)
    except OSError as error:
        assert error.errno == errno.ENOSPC
"""


def about_the_disk(events):
    return [text for text in notices(events) if "ENOSPC" in text or "EROFS" in text]


async def test_p04_f8_s6_a_result_that_cannot_be_stored(project, small_disk, shared):
    """The log has room, the output has not."""
    (project / "big.py").write_text('print(("y" * 79 + "\\n") * 30_000)\n')
    user_config('[permissions]\nallow = ["python *"]\n')
    call = Turn((ToolUse("run", {"command": "python big.py"}),))
    script = Scripted([call, call, Turn.say("I go on.")])
    async with FakeServer(script) as fake, serving(project, fake, assume_yes=True) as service:
        session = (await service.new_session()).id
        events = await say(service, session, "Run it.")
        assert text_of(events) == "I go on."
        assert len(about_the_disk(events)) == 1
        got = [text for text, _ in results(fake.requests[-1].body).values()]
        assert all("ENOSPC" in text and len(text) < 50_000 for text in got)
        kinds = [record["kind"] for record in log_of(session)]
        assert kinds[-1] == "turn_end"
        assert not list((small_disk / "sessions" / session).rglob(".tmp-*"))
        check_wire(shared, fake)


async def test_p04_f8_s7_a_log_that_cannot_be_written(project, small_disk, shared):
    """The disk fills up while a command runs, and has room again two turns later."""
    user_config('[permissions]\nallow = ["python *"]\n')
    fill = small_disk / "filled"
    (project / "fill.py").write_text(FILL.format(place=str(fill)))
    script = Scripted(
        [
            Turn((ToolUse("run", {"command": "python fill.py"}, id="fill"),)),
            Turn((ToolUse("run", {"command": "python leak.py"}, id="effect"),
                  ToolUse("read", {"path": "calc.py"}, id="look"))),
            Turn.say("I could only look."),
            Turn.say("I know all of it."),
            Turn((ToolUse("run", {"command": "python leak.py"}, id="again"),)),
        ]
    )  # fmt: skip
    async with FakeServer(script) as fake:
        async with serving(project, fake, assume_yes=True) as service:
            session = (await service.new_session()).id
            first = await say(service, session, "Fill the disk.")
            assert text_of(first) == "I could only look."
            got = results(fake.requests[2].body)
            assert got["effect"][1], "what cannot be recorded is not done"
            assert "could not be recorded" in got["effect"][0]
            assert "ENOSPC" in got["effect"][0]
            assert "def net" in got["look"][0]
            second = await say(service, session, "What do you know?")
            assert len([*about_the_disk(first), *about_the_disk(second)]) == 1
            assert fake.requests[3].appended_only, "the conversation in memory is not lost"
            fill.unlink()
            third = await say(service, session, "Now run it.")
            assert not about_the_disk(third)
            assert results(fake.requests[-1].body)["again"][1] is False
            written = log_of(session)
            answered = [r["data"]["call_id"] for r in written if r["kind"] == "tool_result"]
            assert answered == ["fill", "effect", "look", "again"]
            said = [r["data"]["text"] for r in written if r["kind"] == "user"]
            assert said == ["Fill the disk.", "What do you know?", "Now run it."]
            check_wire(shared, fake)
        async with serving(project, fake) as service:
            await service.open_session(session)
            await say(service, session, "And in another process?")
            assert fake.requests[-1].appended_only
            assert service.context(session)["epoch"] == 1


def test_a_disk_that_is_full_from_the_start_is_one_line(project, small_disk):
    fill = FILL.format(place=str(small_disk / "filled"))
    subprocess.run([sys.executable, "-c", fill], check=True)
    with FakeServer(Scripted([])) as fake:
        done = novacore("ask", "Hello?", cwd=project, env=environment(fake.url))
    assert_one_line_or_an_answer(done)


def test_a_disk_that_is_read_only_is_one_line(project, small_disk):
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with FakeServer(Scripted([])) as fake:
        done = novacore("ask", "Hello?", cwd=project, env=environment(fake.url))
    assert_one_line_or_an_answer(done)
    for words in (("outline", "calc.py"), ("read", "calc.py::net"), ("config", "show")):
        assert novacore(*words, cwd=project).returncode == 0


def assert_one_line_or_an_answer(done):
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if "ENOSPC" in line or "EROFS" in line]
    farewell = [line for line in lines if "are lost" in line]
    assert (len(lines) - len(farewell), len(farewell) <= 1) == (1, True), done.stderr
    assert (done.returncode, done.stdout.strip()) in [(0, "Done."), (1, "")]


def test_a_session_on_a_disk_that_became_read_only_goes_on(project, small_disk):
    with FakeServer(Scripted([])) as fake:
        env = environment(fake.url)
        first = novacore("ask", "Hello?", "--json", cwd=project, env=env)
        session = json_lines(first.stdout)[-1]["data"]["sessionId"]
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        done = novacore("ask", "Again?", "--session", session, cwd=project, env=env)
    assert_one_line_or_an_answer(done)
    assert any(role == "user" for role, _ in blocks(fake.requests[-1].body))
    assert (sessions_folder() / session).is_dir()


def test_reading_code_needs_no_state_folder(project, small_disk, monkeypatch):
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    monkeypatch.setenv("NOVACORE_STATE_DIR", str(small_disk / "never-made"))
    for words in (("outline", "calc.py"), ("read", "calc.py::net"), ("find", "gross")):
        done = novacore(*words, cwd=project)
        assert (done.returncode, done.stderr) == (0, "")
    doctor = novacore("doctor", "--json", cwd=project)
    checks = {row["name"]: row for row in json.loads(doctor.stdout)["data"]["checks"]}
    assert not checks["state folder"]["ok"]
    assert "cannot be written" in checks["state folder"]["advice"]
