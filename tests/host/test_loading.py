"""From an entry point to an active plugin, and every way in which that fails."""

from __future__ import annotations

import sys

import pytest

from host.plugin_folder import asked, services
from novacore.errors import RequiredPluginFailed
from novacore.host import HostConfig, list_without_loading

GOOD = """
class P(Hooks):
    def spill(self, request):
        return "good"
"""


async def loaded(host, folder):
    await host.load(folder.points())
    return {status.name: status for status in host.statuses()}


@pytest.mark.parametrize(
    ("code", "state", "words"),
    [
        ("raise SystemExit(3)", "failed", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "failed", "KeyboardInterrupt"),
        ("import no_such_module_at_all", "failed", "no_such_module_at_all"),
        ("def f(:", "failed", "SyntaxError"),
        ("Q = 1", "failed", "has no attribute 'P'"),
        ("time.sleep(30)", "hung", "its import took longer than 1 s"),
        (GOOD + "    def __init__(self, config, services): raise ValueError('no')", "failed", "no"),
        (GOOD + "    async def start(self): await asyncio.sleep(60)", "hung", "its start took"),
        (GOOD + "    def start(self): raise SystemExit", "failed", "SystemExit"),
        (GOOD + "    def __init__(self, a, b, c): pass", "failed", "TypeError"),
    ],
)
async def test_a_broken_plugin_never_stops_the_others(hosts, folder, code, state, words):
    folder.add("broken", code)
    folder.add("good", GOOD)
    host = hosts(deadlines={"import": 1, "start": 1})
    status = await loaded(host, folder)
    assert status["broken"].state == state
    assert words in status["broken"].detail
    assert status["good"].state == "active"
    assert [a.value for a in await asked(host, "spill")] == ["good"]
    (line,) = host.drain_notices()
    assert "broken" in line
    assert words in line


SETTINGS = """
from pydantic import BaseModel
class Settings(BaseModel):
    colour: str = "red"
    size: int = 1
class P(Hooks):
    Config = Settings
    def __init__(self, config, services):
        self.said = f"{config.colour} {config.size}"
    def spill(self, request):
        return self.said
"""


async def test_settings_reach_the_plugin(hosts, folder):
    folder.add("mine", SETTINGS)
    host = hosts(options={"mine": {"colour": "blue"}})
    await host.load(folder.points())
    assert [a.value for a in await asked(host, "spill")] == ["blue 1"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": "large"}, "plugins.options.mine.size"),
        ({"color": "blue"}, "did you mean `colour`?"),
    ],
)
async def test_a_wrong_setting_is_named(hosts, folder, options, words):
    folder.add("mine", SETTINGS)
    host = hosts(options={"mine": options})
    status = (await loaded(host, folder))["mine"]
    assert status.state == "failed"
    assert words in status.detail


async def test_settings_for_a_plugin_without_any_are_an_error(hosts, folder):
    folder.add("mine", GOOD)
    status = (await loaded(hosts(options={"mine": {"a": 1}}), folder))["mine"]
    assert (status.state, "no settings" in status.detail) == ("failed", True)


async def test_services_that_cannot_be_made_cost_one_plugin(hosts, folder):
    folder.add("mine", GOOD)
    folder.add("other", GOOD)

    def lend(name):
        if name == "mine":
            raise OSError("no folder")
        return services(name)

    status = await loaded(hosts(services=lend), folder)
    assert "no folder" in status["mine"].detail
    assert status["other"].state == "active"


async def test_status_tells_the_source_and_the_import_time(hosts, folder):
    folder.add("mine", "time.sleep(0.05)" + GOOD, dist="my-plugins", version="2.1")
    status = (await loaded(hosts(), folder))["mine"]
    assert status.source == "my-plugins 2.1"
    assert status.import_ms >= 40


async def test_disabled_and_unloaded_plugins_are_not_imported(hosts, folder):
    module = folder.add("mine", GOOD)
    status = await loaded(hosts(disabled=("mine",)), folder)
    assert status["mine"].state == "disabled"
    listed = list_without_loading(HostConfig(), entry_points=folder.points())
    assert [(s.name, s.state, s.source) for s in listed] == [("mine", "found", "dist-mine 1.0")]
    assert module not in sys.modules


async def test_two_of_a_name_name_both_distributions(hosts, folder):
    folder.add("mine", GOOD, dist="a-dist")
    folder.add("mine", GOOD, dist="b-dist", version="2.0")
    host = hosts()
    await host.load(folder.points())
    kept, refused = host.statuses()
    assert (kept.state, refused.state) == ("active", "failed")
    assert "a-dist 1.0" in refused.detail
    assert "b-dist 2.0" in refused.detail


async def test_another_version_of_the_group_is_incompatible(hosts, folder):
    folder.add("mine", GOOD, group="novacore.plugins.v2")
    status = (await loaded(hosts(), folder))["mine"]
    assert status.state == "incompatible"
    assert "novacore.plugins.v2" in status.detail


async def test_a_required_plugin_that_fails_is_fatal(hosts, folder):
    folder.add("mine", "raise ValueError('broken')")
    with pytest.raises(RequiredPluginFailed, match=r"mine.*broken"):
        await hosts(required=("mine",)).load(folder.points())
    with pytest.raises(RequiredPluginFailed, match="not installed"):
        await hosts(required=("absent",)).load([])


async def test_a_name_in_the_configuration_that_is_not_installed_is_said(hosts, folder):
    folder.add("team_summary", GOOD)
    host = hosts(order={"spill": ("team_sumary",)})
    await host.load(folder.points())
    (line,) = host.drain_notices()
    assert "team_sumary" in line
    assert "did you mean `team_summary`?" in line
    assert host.drain_notices() == ()


async def test_a_damaged_distribution_hides_no_other(hosts, folder):
    folder.add("mine", GOOD)
    folder.announce("damaged", "no equals sign")
    folder.announce("unrelated", "neither here", group="something.else")
    (folder.path / "nameless-1.dist-info").mkdir()
    (folder.path / "nameless-1.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe\0")
    module = folder.add("bare", GOOD)
    (folder.path / "dist_bare-1.0.dist-info" / "METADATA").unlink()
    host = hosts()
    await host.load()
    status = {s.name: s for s in host.statuses()}
    assert status["mine"].state == status["bare"].state == "active"
    assert module in sys.modules
    assert "entry_points.txt" in status["damaged"].detail


async def test_the_built_in_plugins_load_from_the_installed_distribution(hosts):
    host = hosts()
    await host.load()
    status = {s.name: s for s in host.statuses()}
    for name in ("recall_lexical", "instructions", "tools_default"):
        assert (status[name].state, status[name].detail) == ("active", "")
        assert status[name].source.startswith("novacore-agent ")
