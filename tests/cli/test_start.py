"""Before a command runs: the version, the module search path, errors and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from novacore import __version__

HEAVY = {
    "anthropic", "asyncio", "click", "novacore.errors", "pluggy", "pydantic", "rich", "tiktoken",
    "tree_sitter", "typer", "typing_extensions",
}  # fmt: skip


def python(*words, **options):
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=60, **options
    )


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_the_version_imports_nothing_that_costs(word):
    script = (
        "import sys; from novacore.cli import main; code = main([sys.argv[1]]);"
        "print(*sys.modules); sys.exit(code)"
    )
    done = python("-c", script, word)
    version, modules = done.stdout.splitlines()
    assert (done.returncode, version) == (0, f"novacore {__version__}")
    assert HEAVY.isdisjoint(modules.split())


def test_the_module_is_the_command():
    done = python("-P", "-m", "novacore", "--version")
    assert (done.returncode, done.stdout) == (0, f"novacore {__version__}\n")


@pytest.mark.parametrize("way", [["-m", "novacore"], ["-P", "-m", "novacore"]])
@pytest.mark.parametrize("path", ["", ".", "src"])
def test_nothing_is_imported_from_the_working_folder(tmp_path, way, path):
    for folder in (tmp_path, tmp_path / "src"):
        folder.mkdir(exist_ok=True)
        for name in ("typer", "click", "rich", "shellingham", "platformdirs"):
            (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'PWNED')!r}, 'w')\n")
    environ = {**os.environ, "PYTHONPATH": path} if path else os.environ
    done = python(*way, "--help", cwd=tmp_path, env=environ)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "PWNED").exists()


def test_a_working_folder_that_is_gone_is_said(cli, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    outcome = cli("doctor")
    assert (outcome.code, outcome.err) == (2, "novacore: the working folder is gone\n")


def test_without_words_the_help_is_shown_and_it_is_a_usage_error(cli):
    outcome = cli()
    assert outcome.code == 2
    assert "Commands:" in outcome.out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["ask"], "novacore ask --help"),
        (["bogus"], "novacore --help"),
        (["ask", "x", "--max-steps", "0"], "novacore ask --help"),
        (["sessions", "bogus"], "novacore sessions --help"),
        (["ask", "x", "--mode", "yolo"], "read-only, ask, accept-edits"),
        (["ask", "  "], "empty"),
        (["plugins", "--hook", "spil"], "known: spill"),
        (["read", "a", "--cwd", "/nowhere/at/all"], "no such folder: /nowhere/at/all"),
        (["trust", "nowhere"], "not a folder: nowhere"),
    ],
)
def test_wrong_words_are_one_line_and_code_2(cli, words, hint):
    outcome = cli(*words)
    assert outcome.code == 2
    assert outcome.err.startswith("novacore: ")
    assert outcome.err.count("\n") == 1
    assert hint in outcome.err


@pytest.mark.parametrize(("broken", "code"), [("config", 2), ("key", 1), ("bug", 1)])
def test_an_error_is_one_line_and_its_own_code(finished, broken, code):
    outcome = finished("doctor", env={"FAKE_BROKEN": broken})
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith("novacore: ")
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err


def test_debug_shows_the_traceback_wherever_it_stands(finished):
    for words in (("--debug", "doctor"), ("doctor", "--debug")):
        outcome = finished(*words, env={"FAKE_BROKEN": "bug"})
        assert outcome.code == 1
        assert "ZeroDivisionError" in outcome.err.splitlines()[-2]
    assert "Traceback" in outcome.err


def test_an_error_under_json_is_an_envelope_too(finished, valid):
    outcome = finished("doctor", "--json", env={"FAKE_BROKEN": "config"})
    assert valid(outcome.json)["data"]["code"] == "ConfigError"
    assert outcome.code == 2


def test_words_after_two_dashes_are_no_options(cli, service):
    assert cli("find", "--", "--debug").code == 0
    outcome = cli("find", "--", "--json")
    with pytest.raises(json.JSONDecodeError):
        outcome.json  # noqa: B018


def test_a_reader_that_left_is_no_error_of_ours(start):
    for words in (("find", "size"), ("ask", "x", "--json")):
        read_end, write_end = os.pipe()
        os.close(read_end)
        process = start(*words, stdout=write_end)
        os.close(write_end)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 1
        assert b"Traceback" not in err
        assert b"BrokenPipe" not in err


def test_output_is_utf8_whatever_the_locale(finished):
    outcome = finished(
        "ask", "x", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert outcome.code == 0
    assert "It is here ?: 你好" in outcome.out


def test_completion_comes_from_typer(finished):
    outcome = finished(
        "--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    )
    assert outcome.code == 0
    assert "_NOVACORE_COMPLETE" in outcome.out
