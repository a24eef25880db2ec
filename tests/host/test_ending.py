"""The program ends in time, whatever a plugin is doing."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from host.plugin_folder import asked, recall_request

PROGRAM = """
import asyncio, sys, time
sys.path.insert(0, {tests!r})
from host.plugin_folder import make_host, recall_request, accept
class Mine:
    {body}
async def main():
    host = make_host()
    await host.register(Mine, "mine")
    host.start("recall", recall_request(), accept)
    await asyncio.sleep(0.2)
    begun = time.monotonic()
    await host.aclose()
    print(time.monotonic() - begun, [f.reason for f in host.drain_faults()])
asyncio.run(main())
"""


@pytest.mark.parametrize(
    "body",
    [
        "def recall(self, request): time.sleep(600)",
        "async def recall(self, request): await asyncio.sleep(600)",
        "async def recall(self, request): await asyncio.to_thread(time.sleep, 600)",
        "async def recall(self, request):\n"
        "        while True:\n"
        "            try: await asyncio.sleep(600)\n"
        "            except asyncio.CancelledError: pass",
    ],
)
def test_the_process_exits_although_a_plugin_sleeps(body):
    from pathlib import Path

    tests = str(Path(__file__).parents[1])
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(tests=tests, body=body)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    took, faults = done.stdout.split(maxsplit=1)
    assert float(took) < 2
    assert faults.strip() == "['unfinished']"
    assert time.monotonic() - begun < 30


async def test_closing_lets_each_plugin_close_on_its_own_thread(hosts):
    seen = []

    class Mine:
        def spill(self, request):
            seen.append(threading.get_ident())

        async def aclose(self):
            seen.append(threading.get_ident())

    class Broken(Mine):
        def aclose(self):
            raise SystemExit

    class Slow(Mine):
        async def aclose(self):
            await asyncio.sleep(600)

    host = hosts()
    for name, cls in {"mine": Mine, "broken": Broken, "slow": Slow}.items():
        await host.register(cls, name)
    await asked(host, "spill")
    begun = time.monotonic()
    await host.aclose()
    assert time.monotonic() - begun < 3
    assert seen.count(seen[1]) == 2
    assert threading.get_ident() not in seen
    assert {f.plugin: f.reason for f in host.drain_faults()} == {
        "broken": "raised",
        "slow": "unfinished",
    }
    assert await asked(host, "spill") == []


async def test_what_was_waited_for_ends_with_the_host(hosts):
    class Mine:
        async def recall(self, request):
            await asyncio.sleep(600)

    host = hosts()
    await host.register(Mine, "mine")
    (pending,) = host.start("recall", recall_request(), print)
    await asyncio.sleep(0.05)
    await host.aclose()
    with pytest.raises(asyncio.CancelledError):
        await pending.answer()
    assert [t for t in threading.enumerate() if t.name == "plugin-mine"] == []
