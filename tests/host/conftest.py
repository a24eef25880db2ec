from __future__ import annotations

import pytest

from host.plugin_folder import PluginFolder, make_host


@pytest.fixture
def folder(tmp_path, monkeypatch):
    return PluginFolder(tmp_path / "site", monkeypatch)


@pytest.fixture
async def hosts():
    """Makes hosts, and closes them."""
    made = []

    def make(**changes):
        made.append(make_host(**changes))
        return made[-1]

    yield make
    for host in made:
        await host.aclose()
