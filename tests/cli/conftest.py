"""Run the command in this process or as a real one, on a scripted service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from novacore.cli import main

SCRIPT = Path(__file__).with_name("fake_novacore.py")
SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def service(monkeypatch):
    """The package without its ``__init__``: the scripted service needs none of the engine."""
    stand_in = ModuleType("novacore.service")
    stand_in.__path__ = [str(Path(find_spec("novacore").origin).with_name("service"))]
    monkeypatch.setitem(sys.modules, "novacore.service", stand_in)
    from cli.fake_service import FakeService

    stand_in.Service = FakeService
    monkeypatch.setattr(FakeService, "seen", [])
    monkeypatch.setattr(FakeService, "trusted", set())
    return FakeService


@pytest.fixture
def cli(service, real_cli):
    """Run the command in this process, on the scripted service."""
    return real_cli


@pytest.fixture
def real_cli(capfd, monkeypatch, tmp_path):
    """Run the command in this process, with the words as given, on the real service."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        path = list(sys.path)
        try:
            code = main(words)
            sys.stdout.flush()
        finally:
            sys.path[:] = path
        return Outcome(code, *capfd.readouterr())

    return run


@pytest.fixture
def start(tmp_path):
    """Start the command as a process of its own."""
    running = []

    def popen(*words, **options):
        environ = os.environ | options.pop("env", {})
        given = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "cwd": tmp_path,
        }
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), *words], env=environ, **(given | options)
        )
        running.append(process)
        return process

    yield popen
    for process in running:
        if process.poll() is None:
            process.kill()
        with process:
            pass


@pytest.fixture
def finished(start):
    """Run the command as a process of its own, to its end."""

    def run(*words, **options):
        out, err = (process := start(*words, **options)).communicate(timeout=60)
        return Outcome(process.returncode, out.decode("utf-8"), err.decode("utf-8"))

    return run


@pytest.fixture
def valid():
    """Check one object against the schema of its kind."""
    import jsonschema

    def check(value, kind=""):
        schema = json.loads((SCHEMAS / f"{kind or value['kind']}.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(value)
        return value

    return check
