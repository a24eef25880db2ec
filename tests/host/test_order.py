"""Plugins are asked as configured, then by name: on every machine, in every file system."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from host.plugin_folder import asked, make_host

NAMES = ("aa", "bb", "cc", "dd")


class Mine:
    def spill(self, request):
        return "here"


@settings(max_examples=15, deadline=None)
@given(st.permutations(NAMES), st.lists(st.sampled_from(NAMES), max_size=3))
async def test_order_depends_on_configuration_and_names_alone(arrival, configured):
    host = make_host(order={"spill": tuple(configured), "compact": NAMES[::-1]})
    try:
        for name in arrival:
            await host.register(Mine, name)
        expected = list(dict.fromkeys(configured))
        expected += [name for name in NAMES if name not in expected]
        assert [a.plugin for a in await asked(host, "spill")] == expected
        places = {s.name: s.order["spill"] for s in host.statuses()}
        assert sorted(places, key=places.__getitem__) == expected
    finally:
        await host.aclose()


async def test_the_order_of_entry_points_does_not_matter(hosts, folder):
    for name in ("zz", "mm", "aa"):
        folder.add(name, "class P(Hooks):\n    def spill(self, request): return 1")
    for points in (folder.points(), folder.points()[::-1]):
        host = hosts()
        await host.load(points)
        assert [a.plugin for a in await asked(host, "spill")] == ["aa", "mm", "zz"]
