"""Fixtures that every test may use: isolated folders, shared inputs, a fake model server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Time is not tested, and a machine under load is no failure; CI always draws the same examples.
settings.register_profile(
    "novacore",
    deadline=None,
    derandomize=os.environ.get("CI") == "true",
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("novacore")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared_path(*parts: str) -> Path:
    """A folder of the shared inputs; absent it is a failure in CI and a skip elsewhere."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        message = f"shared inputs are missing: ../shared/{'/'.join(parts)}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def shared():
    return shared_path


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory, monkeypatch):
    """No test sees or touches the developer's own sessions, configuration or keys."""
    base = tmp_path_factory.mktemp("nova")
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"NOVACORE_{name}_DIR", str(base / name.lower()))
    monkeypatch.setenv("HOME", str(base / "home"))
    (base / "home").mkdir()
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "OPENAI_")):
            monkeypatch.delenv(name)
    return base
