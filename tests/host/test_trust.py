"""Nothing that lies in an untrusted workspace is found, imported or believed."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

import novacore
from host.plugin_folder import PluginFolder, asked
from novacore.hookspecs import ENTRY_POINT_GROUP
from novacore.host import HostConfig, clean_sys_path, list_without_loading

HOSTILE = (
    "open({mark!r}, 'w').close()\nclass P(Hooks):\n    def spill(self, request): return 'evil'"
)


@pytest.fixture
def clone(tmp_path, monkeypatch):
    return PluginFolder(tmp_path / "clone", monkeypatch)


@pytest.fixture
def mark(tmp_path):
    return tmp_path / "it_ran"


async def test_a_distribution_in_the_workspace_is_refused(hosts, clone, mark):
    clone.add("mine", HOSTILE.format(mark=str(mark)))
    host = hosts(roots=(clone.path,))
    await host.load(clone.points())
    (status,) = host.statuses()
    assert status.state == "failed"
    assert "not trusted" in status.detail
    assert await asked(host, "spill") == []
    assert not mark.exists()
    assert str(clone.path) not in sys.path


async def test_a_link_out_of_and_a_link_into_the_workspace_are_both_refused(
    hosts, clone, mark, tmp_path, monkeypatch
):
    outside = PluginFolder(tmp_path / "outside", monkeypatch)
    outside.add("mine", HOSTILE.format(mark=str(mark)))
    (clone.path / "link").symlink_to(outside.path)
    (tmp_path / "into").symlink_to(clone.path)
    for entry in (clone.path / "link", tmp_path / "into", clone.path / "sub" / ".."):
        monkeypatch.syspath_prepend(str(entry))
        assert str(entry) in clean_sys_path((clone.path,))
    assert clean_sys_path((clone.path,)) == ()
    assert str(outside.path) in sys.path


@pytest.mark.parametrize("dist", ["novacore-plus", "novacore-agent"])
async def test_another_distribution_cannot_pose_as_a_built_in(hosts, folder, mark, dist):
    folder.add("spill_files", HOSTILE.format(mark=str(mark)), dist=dist)
    ours = EntryPoint("tools_default", "novacore_plugins.tools_default:P", ENTRY_POINT_GROUP)
    host = hosts(disabled=("tools_default",))
    await host.load([*folder.points(), ours])
    status = {s.name: s for s in host.statuses()}
    assert status["spill_files"].state == "failed"
    assert "built-in" in status["spill_files"].detail
    assert status["tools_default"].state == "disabled"
    assert not mark.exists()


async def test_the_real_built_in_stays_beside_its_impostor(hosts, clone):
    clone.announce("poser", "tools_default = novacore_plugins.tools_default:ToolsDefault")
    real = list_without_loading(HostConfig())
    points = [p for p in clone.points() if p.name == "tools_default"]
    from importlib.metadata import entry_points

    host = hosts(roots=(clone.path,))
    await host.load([*points, *entry_points(group=ENTRY_POINT_GROUP, name="tools_default")])
    assert sorted(s.state for s in host.statuses()) == ["active", "failed"]
    assert "tools_default" in {s.name for s in real if s.state == "found"}


def run_in(folder, code, *options):
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_working_folder_leaves_the_path_before_entry_points_are_looked_for(clone, mark):
    clone.add("mine", HOSTILE.format(mark=str(mark)))
    code = (
        "from pathlib import Path; from novacore.host import *\n"
        "names = [s.name for s in list_without_loading(HostConfig(), roots=(Path.cwd(),))]\n"
        "print('mine' in names, 'tools_default' in names)"
    )
    assert run_in(clone.path, code).split() == ["False", "True"]
    assert not mark.exists()


def test_novacore_still_runs_on_its_own_repository():
    """Its interpreter and its own package may lie below the root; they are what was started."""
    from pathlib import Path

    root = Path(novacore.__file__).parents[1]
    code = (
        "import sys; from pathlib import Path; from novacore.host import *\n"
        f"listed = list_without_loading(HostConfig(), roots=(Path({str(root)!r}),))\n"
        "print({s.state for s in listed if s.name == 'tools_default'}, '' in sys.path)"
    )
    assert run_in(root, code).strip() == "{'found'} False"


async def test_a_root_inside_the_interpreters_own_folder_gets_nothing(monkeypatch):
    import sysconfig
    from pathlib import Path

    inside = Path(sysconfig.get_paths()["purelib"]) / "some_clone"
    monkeypatch.syspath_prepend(str(inside))
    assert clean_sys_path((inside,)) == (str(inside),)
