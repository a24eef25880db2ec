"""What several modules look at."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fakellm import FakeServer, Scripted
from service.project_kit import environment, make_project, novacore, sessions_folder, user_config
from service.thirty_steps import ALLOWED, QUESTION, script


@pytest.fixture(scope="package")
def task(tmp_path_factory, request):
    """The task, carried out once; the tests look at it from all sides."""
    base = tmp_path_factory.mktemp("thirty")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CONFIG", "CACHE"):
            patch.setenv(f"NOVACORE_{name}_DIR", str(base / name.lower()))
        user_config(ALLOWED)
        patch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        project = make_project(base / "project")
        with FakeServer(Scripted(script())) as fake:
            done = novacore(
                "ask", QUESTION, "--yes", "--json",
                cwd=project, env=environment(fake.url),
            )  # fmt: skip
            requests = list(fake.requests)
        (session,) = sessions_folder().iterdir()
    return {
        "done": done,
        "requests": requests,
        "project": project,
        "session": session,
        "base": base,
    }
