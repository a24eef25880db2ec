"""What a host refuses to take in, and what it says about it."""

from __future__ import annotations

import pluggy
import pytest

from host.plugin_folder import asked
from novacore import Hooks
from novacore.errors import PluginRefused

mark = pluggy.HookimplMarker("novacore")


class Typo(Hooks):
    def recal(self, request):
        return ()


class CamelTypo(Hooks):
    def injectInstruction(self, request):
        return ()


class WrongArgument(Hooks):
    def spill(self, reqest):
        return reqest


class TwoArguments(Hooks):
    def spill(self, request, session):
        return None


class First(Hooks):
    @mark(tryfirst=True)
    def spill(self, request):
        return None


class Optional(Hooks):
    @mark(optionalhook=True, specname="recall")
    def spill(self, request):
        return None


class Wrapper(Hooks):
    @mark(wrapper=True)
    def spill(self, request):
        return (yield)


class Unmarked(Hooks):
    async def spill(self, request):
        yield None


class NoHook(Hooks):
    def helper(self):
        return None


class NotYet(Hooks):
    def experimental_permit(self, request):
        return None


class NoMethod(Hooks):
    spill = 7


class FromTheFuture(Hooks):
    api = (99, 0)

    def spill(self, request):
        return None


class OddVersion(FromTheFuture):
    api = "ninety-nine"


@pytest.mark.parametrize(
    ("plugin", "words"),
    [
        (Typo, ("recal`", "`recall`")),
        (CamelTypo, ("injectInstruction`", "`inject_instructions`")),
        (WrongArgument, ("rename `reqest` to `request`",)),
        (TwoArguments, ("remove `session`",)),
        (First, ("tryfirst",)),
        (Optional, ("optionalhook", "specname")),
        (Wrapper, ("wrapper",)),
        (Unmarked, ("yields",)),
        (NoHook, ("has no hook",)),
        (NotYet, ("experimental_permit",)),
        (NoMethod, ("must be a method",)),
        (FromTheFuture, ("99.0", "1.0")),
        (OddVersion, ("ninety-nine",)),
    ],
)
async def test_refused_with_what_to_do(hosts, plugin, words):
    host = hosts()
    with pytest.raises(PluginRefused) as refused:
        await host.register(plugin, "mine")
    assert all(word in str(refused.value) for word in words)
    assert await asked(host, "spill") == []
    (line,) = host.drain_notices()
    assert "mine" in line


async def test_an_api_that_does_not_fit_is_incompatible_not_failed(hosts):
    host = hosts()
    with pytest.raises(PluginRefused):
        await host.register(FromTheFuture, "mine")
    assert [status.state for status in host.statuses()] == ["incompatible"]


class Plain:
    """No base class, no decorator, no argument."""

    def spill(self):
        return "from a plain class"


class Keywords(Hooks):
    def spill(self, **given):
        return given["request"].session.id


class Positional(Hooks):
    def spill(self, request, /):
        return request.session.id


class Static(Hooks):
    @staticmethod
    def spill(request):
        return request.session.id


class Defaults(Hooks):
    def spill(self, request, more=1):
        return request.session.id


@pytest.mark.parametrize(
    ("plugin", "answer"),
    [
        (Plain, "from a plain class"),
        (Plain(), "from a plain class"),
        (Keywords, "s1"),
        (Positional, "s1"),
        (Static, "s1"),
        (Defaults, "s1"),
    ],
)
async def test_every_reasonable_form_of_a_hook_is_called(hosts, plugin, answer):
    host = hosts()
    await host.register(plugin, "mine")
    assert [a.value for a in await asked(host, "spill")] == [answer]
    (status,) = host.statuses()
    assert (status.state, status.hooks, dict(status.order)) == ("active", ("spill",), {"spill": 1})


async def test_a_name_is_given_once(hosts):
    host = hosts()
    await host.register(Plain, "mine", source="first 1.0")
    with pytest.raises(PluginRefused) as refused:
        await host.register(Keywords, "mine", source="second 2.0")
    assert "first 1.0" in str(refused.value)
    assert "second 2.0" in str(refused.value)
    assert [a.value for a in await asked(host, "spill")] == ["from a plain class"]
