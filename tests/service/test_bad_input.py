"""Bad input at the real command line: one clear line, the right exit code, never a hang."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pty
import socket
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from service.project_kit import complaint, environment, make_project, novacore, user_config

TIMEOUT = 60
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


def without_root_rights():
    """In a child: file permissions hold for root too, as they do for everybody else."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            assert libc.prctl(PR_CAPBSET_DROP, right, 0, 0, 0) == 0


def as_a_user(*words, cwd, env=None):
    return subprocess.run(
        [sys.executable, "-P", "-m", "novacore", *words],
        cwd=cwd,
        env=env or environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        preexec_fn=without_root_rights,
        check=False,
    )


# --- files ----------------------------------------------------------------------------------


def put(root, name):
    """A thing of the kind that ``name`` says, where a file is expected."""
    path = root / name
    match name:
        case "empty.py":
            path.touch()
        case "binary.py":
            path.write_bytes(b"\0\1\2" * 5_000)
        case "large.py":
            path.write_bytes(b"def f(x):\n    return x  # filler filler\n" * 1_250_000)
        case "one_line.js":
            path.write_bytes(b"var a=1;" * 650_000)
        case "pipe.py":
            os.mkfifo(path)
        case "socket.py":
            with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(root):
                made.bind(name)
        case "folder.py":
            path.mkdir()
        case "loop.py":
            path.symlink_to(name)
        case "zero.py":
            path.symlink_to("/dev/zero")
        case ".env":
            path.write_text("A=1\n")
    return path


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("empty.py", 0, ""),
        ("absent.py", 1, "no file absent.py"),
        ("binary.py", 1, "binary file"),
        ("large.py", 1, "too large to read whole; read a line range, or search it"),
        ("one_line.js", 1, "too large"),
        ("pipe.py", 1, "pipe, socket or device"),
        ("socket.py", 1, "pipe, socket or device"),
        ("folder.py", 1, "is a folder: name a file in it"),
        ("loop.py", 3, "leads nowhere"),
        ("zero.py", 3, "lies outside"),
        (".env", 3, "closed to every tool"),
    ],
)
def test_a_file_that_cannot_be_read_as_one(project, name, code, words):
    put(project, name)
    done = novacore("read", name, cwd=project, timeout=TIMEOUT)
    if code:
        shown = done.stderr.splitlines()[-1:]
        assert complaint_or_note(done, code)
        assert words in shown[0]
    else:
        assert (done.returncode, done.stderr) == (0, "")


def complaint_or_note(done, code):
    lines = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
    return done.returncode == code and len(lines) == 1 and lines[0].startswith("novacore: ")


def test_pipes_and_devices_stop_no_search_and_no_question(project):
    for name in ("pipe.py", "socket.py", "loop.py", "zero.py"):
        put(project, name)
    for name in ("AGENTS.md", ".gitignore"):
        os.mkfifo(project / name)
    (project / ".git" / "HEAD").unlink()
    os.mkfifo(project / ".git" / "HEAD")
    assert novacore("find", "gross", cwd=project, timeout=TIMEOUT).returncode == 0
    done = novacore("ask", "Where is gross?", cwd=project, timeout=TIMEOUT)
    assert (done.returncode, "calc.py" in done.stdout) == (0, True)


def test_a_miss_says_where_it_could_not_look(project):
    (project / "huge.py").write_text("def needle(): pass\n" + "# filler\n" * 150_000)
    done = novacore("find", "needle", cwd=project, timeout=TIMEOUT)
    assert "the word stands in huge.py: too large to parse" in complaint(done, 1)


def test_names_that_are_no_utf8(project):
    name = b"na\xffme.py"
    (Path(os.fsdecode(bytes(project) + b"/" + name))).write_text("def latin(): pass\n")
    shown = "na\ufffdme.py"
    for words in (["read", os.fsdecode(name)], ["read", shown], ["find", "latin", "--json"]):
        done = novacore(*words, cwd=project)
        assert (done.returncode, "latin" in done.stdout) == (0, True)
        assert shown in done.stdout


# --- permissions ----------------------------------------------------------------------------


def test_closed_files_and_folders(project):
    (project / "closed").mkdir()
    (project / "closed" / "in.py").touch()
    (project / "secret.py").write_text("def hidden(): pass\n")
    (project / "secret.py").chmod(0)
    (project / "closed").chmod(0)
    try:
        for words in (("read", "secret.py"), ("outline", "secret.py"), ("read", "closed/in.py")):
            done = as_a_user(*words, cwd=project)
            assert "cannot be read: Permission denied" in complaint(done, 1)
        assert "not readable: secret.py" in complaint(as_a_user("find", "hidden", cwd=project), 1)
        assert as_a_user("find", "gross", cwd=project).returncode == 0
    finally:
        (project / "closed").chmod(0o700)


def test_a_folder_on_the_path_that_may_not_be_entered(project, tmp_path):
    (tmp_path / "bin").mkdir(mode=0o000)
    env = environment(PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    assert as_a_user("ask", "Where is gross?", cwd=project, env=env).returncode == 0


@pytest.mark.parametrize("name", ["STATE", "CACHE", "CONFIG"])
def test_own_folders_that_may_not_be_entered(tmp_path, name):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "calc.py").write_text("def net(): pass\n")
    (tmp_path / "own").mkdir(mode=0o000)
    env = environment(**{f"NOVACORE_{name}_DIR": str(tmp_path / "own" / "nova")})
    read = as_a_user("read", "calc.py", cwd=tmp_path / "plain", env=env)
    asked = as_a_user("ask", "Where is net?", cwd=tmp_path / "plain", env=env)
    if name != "CONFIG":
        doctor = as_a_user("doctor", cwd=tmp_path / "plain", env=env)
        assert doctor.returncode == 1
        assert f"{tmp_path}/own cannot be written" in doctor.stdout
    match name:
        case "STATE":
            assert read.returncode == 0, "who only reads needs no state"
            assert str(tmp_path / "own") in complaint(asked, 1)
        case "CACHE":
            assert (read.returncode, asked.returncode) == (0, 0), asked.stderr
        case "CONFIG":
            assert "Permission denied" in complaint(read, 2)


def test_no_home_and_no_name(project):
    done = subprocess.run(
        [sys.executable, "-P", "-m", "novacore", "config", "show"],
        cwd="/",
        env={"PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        user=54_321 if os.geteuid() == 0 and readable_by_all() else None,
        check=False,
    )
    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr


def readable_by_all():
    places = (Path(sys.executable).resolve(), Path(__file__).resolve())
    return all(p.stat().st_mode & 0o005 for place in places for p in (place, *place.parents))


def test_own_folders_are_never_taken_from_the_working_folder(project):
    env = environment(NOVACORE_STATE_DIR="here/state")
    assert "is not absolute" in complaint(novacore("config", "show", cwd=project, env=env), 2)
    assert not (project / "here").exists()


# --- configuration --------------------------------------------------------------------------

KEY = "sk-ant-api03-" + "Q7x" * 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mode = ", "config.toml:1: not valid TOML"),
        ("mod = 'ask'", "config.toml:1: unknown key mod; did you mean mode?"),
        ("[permissions]\nallow = 'git *'", "config.toml:2: permissions.allow should be a list"),
        ("limits = 3", "limits should be a table"),
        ("[limits]\nsteps = " + "9" * 5_000, "a number is too large"),
        ("[instructions]\nnames = ['../x']", "should be names of files"),
        ("model = 'nope/x'", "no provider for the model 'nope/x'; known: anthropic, navigator"),
        (f"[providers.anthropic]\napi_key_env = '{KEY}'", "should be the name of a variable"),
    ],
)
def test_a_wrong_configuration_names_the_place_and_no_key(project, text, words):
    user_config(text)
    line = complaint(novacore("ask", "hi", cwd=project), 2)
    assert words in line
    assert KEY not in line


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_configuration_that_is_no_file(project, kind):
    file = Path(os.environ["NOVACORE_CONFIG_DIR"], "config.toml")
    file.parent.mkdir(parents=True)
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "device":
            file.symlink_to("/dev/zero")
        case "folder":
            file.mkdir()
    done = novacore("ask", "hi", cwd=project, timeout=TIMEOUT)
    assert "cannot be read" in complaint(done, 2)


def test_trust_can_be_taken_back_whatever_the_folder_says(project):
    (project / ".novacore").mkdir()
    (project / ".novacore" / "config.toml").write_text("nope = 1\n")
    assert novacore("trust", ".", "--yes", cwd=project).returncode == 0
    assert "unknown key nope" in complaint(novacore("find", "net", cwd=project), 2)
    assert novacore("trust", "--revoke", project, cwd=project.parent).returncode == 0
    assert novacore("find", "net", cwd=project).returncode == 0


# --- the model's end ------------------------------------------------------------------------


@contextlib.contextmanager
def web_page(body):
    """A server that answers everything with a page, as a hotel's network does."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_server_that_is_no_model(project):
    with web_page(b"<html>sign in</html>") as url:
        done = novacore("ask", "hi", cwd=project, env=environment(url))
    assert "answers, but not as a model's API does" in complaint(done, 1)


def test_an_address_that_is_none(project):
    done = novacore("ask", "hi", cwd=project, env=environment("http://127.0.0.1:9\n"))
    assert "correct providers.anthropic.base_url" in complaint(done, 1)


def test_a_key_that_no_header_can_carry(project):
    env = environment("http://127.0.0.1:9") | {"ANTHROPIC_API_KEY": "ключ-" + KEY}
    line = complaint(novacore("ask", "hi", cwd=project, env=env), 1)
    assert "set ANTHROPIC_API_KEY again" in line
    assert KEY not in line


# --- questions and streams ------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question(project, question):
    assert "the question is empty" in complaint(novacore("ask", question, cwd=project), 2)
    done = novacore("ask", "-", cwd=project, stdin=question)
    assert "the question is empty" in complaint(done, 2)


@pytest.mark.parametrize("data", [b"wo \xff net\0?", b"net? " + b"x" * 5_000_000])
def test_a_strange_or_huge_question_from_stdin(project, data):
    done = subprocess.run(
        [sys.executable, "-P", "-m", "novacore", "ask", "-"],
        cwd=project,
        input=data,
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("read calc.py | head -1", 0, "calc.py:1-11"),
        ("--version | true", 0, ""),
        ("find gross --json | true", 0, ""),
        ("nope --json | true", 0, "No such command"),
        ("ask 'where is gross?' >&-", 0, ""),
        ("ask 'where is gross?' <&- 2>&-", 0, "calc.py"),
        ("read calc.py <&- >&- 2>&-", 0, ""),
        ("ask - <&-", 2, "the question is empty"),
        ("read calc.py >/dev/full", 1, "the output cannot be written: No space left"),
        ("find gross --json >/dev/full", 1, "the output cannot be written: No space left"),
        ("--version >/dev/full", 1, ""),
    ],
)
def test_closed_and_full_streams(project, line, code, words):
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -P -m novacore {line}'],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    shown = done.stdout + done.stderr
    assert done.returncode == code, shown
    assert words in shown
    assert "Traceback" not in shown
    assert "internal error" not in shown


def test_a_terminal_without_a_width_shows_everything(project):
    master, slave = pty.openpty()
    env = environment(COLUMNS="0", TERM="xterm")
    command = [sys.executable, "-P", "-m", "novacore", "doctor"]
    with subprocess.Popen(command, cwd=project, env=env, stdout=slave, stderr=slave) as process:
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):
            while data := os.read(master, 65_536):
                shown += data
        os.close(master)
    assert process.returncode == 0
    assert b"spill_files" in shown


def test_an_echo_of_bad_input_stays_short(project):
    line = complaint(novacore("find", "x" * 100_000, cwd=project), 1)
    assert len(line) < 2_100
