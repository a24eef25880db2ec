"""What a session cost: the turns' own calls and every side call, each by its name."""

from __future__ import annotations

import pytest

from fakellm import FakeServer, Scripted, Turn
from host.plugin_folder import PluginFolder
from service.project_kit import make_project, user_config
from service.turns_kit import log_of, say, serving

PAYING = """
    class P(Hooks):
        def __init__(self, config, services):
            self._services = services

        def recall(self, request):
            usage = {"uncached": 400, "output": 30, "purpose": "turn", "odd": 1, "cache_read": -5}
            self._services.report_usage("rerank", usage, 0.25)
            self._services.report_usage("embed", {"uncached": 9}, float("nan"))
            return None
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    PluginFolder(tmp_path / "site", monkeypatch).add("paying", PAYING)
    # Long enough to hear of both calls before the turn is over.
    user_config("[recall]\nwait_ms_of = {paying = 3000}\n[limits]\ndollars = 0.4\n")
    return make_project(tmp_path / "project")


async def test_a_side_call_has_a_line_of_its_own_and_counts_to_the_limit(project):
    script = Scripted([Turn.say("one"), Turn.say("two")])
    async with FakeServer(script) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        first = (await say(service, session, "first"))[-1].data
        second = (await say(service, session, "second"))[-1].data
        told = service.context(session)["costs"]
    rows = {row["purpose"]: row for row in first["costs"]}
    assert set(rows) == {"turn", "paying.rerank", "paying.embed"}
    assert (rows["paying.rerank"]["uncached"], rows["paying.rerank"]["output"]) == (400, 30)
    assert (rows["paying.rerank"]["cache_read"], rows["paying.rerank"]["dollars"]) == (0, 0.25)
    assert rows["paying.embed"]["dollars"] is None
    assert first["cost"] == pytest.approx(0.25 + rows["turn"]["dollars"])
    assert first["usage"]["uncached"] == 409 + rows["turn"]["uncached"]
    assert second["stopReason"] == "limit"
    assert {row["purpose"]: row["calls"] for row in told}["paying.rerank"] == 2
    side = [r for r in log_of(session) if r["kind"] == "usage" and r["by"] == "plugin"]
    assert [r["data"]["purpose"] for r in side[:2]] == ["paying.rerank", "paying.embed"]


async def test_what_a_request_will_cost_is_told_before_its_answer(tmp_path):
    project = make_project(tmp_path / "plain")
    script = Scripted([Turn.say("one"), Turn.say("two")])
    async with FakeServer(script) as fake, serving(project, fake) as service:
        session = (await service.new_session()).id
        for words in ("first", "second"):
            await say(service, session, words)
        found = service.context(session)
        first = service.context(session, 1)
    # Nearly all of it was in the cache: a tenth of the price, and the answer's own tokens on top.
    assert found["forecast"] == pytest.approx(found["dollars"], rel=0.5)
    assert first["forecast"] > 3 * found["forecast"]


async def test_without_a_price_only_tokens_are_told(tmp_path):
    project = make_project(tmp_path / "plain")
    script = Scripted([Turn.say("one")])
    async with FakeServer(script) as fake, serving(project, fake, model="claude-foo-9") as service:
        session = (await service.new_session()).id
        idle = (await say(service, session, "first"))[-1].data
        assert idle["cost"] is None
        assert [row["dollars"] for row in idle["costs"]] == [None]
        assert idle["usage"]["output"] > 0
        found = service.context(session)
    assert (found["dollars"], found["forecast"]) == (None, None)
