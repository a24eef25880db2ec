"""The door of spilling for tests: outputs in, a settled message out, over a real store."""

from __future__ import annotations

import os
from contextlib import contextmanager

import pytest

from host.plugin_folder import make_host
from novacore.engine.spill import settle
from novacore.tokens import estimate
from novacore.types import SessionRef, SpillLimits, ToolOutput
from novacore_plugins.spill_files import SpillFiles
from novacore_plugins.spill_logs import SpillLogs

OFF = 10**9
CHARS_ONLY = SpillLimits(result_tokens=OFF, message_tokens=OFF)
"""A case sets only the limits that it names."""


class Silent:
    """A host without plugins."""

    async def ask(self, hook, request, check, *, turn=0):
        for answer in ():
            yield answer


def output(id, text, *, command="", **more):
    call = {"command": command} if command else {"path": "a.txt"}
    given = {"tool": "run" if command else "read", "tokens": estimate(text), "call": call, **more}
    return ToolOutput(id=id, text=text, **given)


async def settled(outputs, store, *, host=None, limits=None, used=0, tools=("read", "search")):
    return await settle(
        outputs,
        session=SessionRef(id="s1"),
        host=host or Silent(),
        limits=limits or SpillLimits(),
        store=store,
        used=used,
        soft_line=167_000,
        hard_line=177_000,
        offered_tools=tools,
        key=b"key",
    )


async def host_of(**plugins):
    host = make_host(order={"spill": list(plugins)})
    for name, plugin in plugins.items():
        await host.register(plugin, name)
    return host


async def built_in_host():
    return await host_of(spill_logs=SpillLogs, spill_files=SpillFiles)


@contextmanager
def refusing_disk(code, after=0):
    """After so many bytes every write fails; gives the number of refused writes in a list."""
    left, refused, write = [after], [], os.write

    def fail(handle, data):
        if not left[0]:
            refused.append(handle)
            raise OSError(code, os.strerror(code))
        taken = write(handle, bytes(data)[: left[0]])
        left[0] -= taken
        return taken

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", fail)
        yield refused
