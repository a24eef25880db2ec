"""Run a fake by hand: ``PYTHONPATH=tests python -m fakellm --port 8123 --script turns.json``.

The first line of output is the base URL. ``GET /fake/requests`` shows what it was sent.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
from pathlib import Path

from fakellm.policy import Scripted, Turn
from fakellm.script import turns
from fakellm.server import FakeServer


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="fakellm", description="A fake model server.")
    parser.add_argument("--port", type=int, default=0, help="0: any free port")
    parser.add_argument("--script", type=Path, help="JSON list of turns; see fakellm/script.py")
    parser.add_argument("--window", type=int, default=200_000, help="tokens")
    parser.add_argument("--key", action="append", help="an accepted key; default: any")
    parser.add_argument("--model", action="append", help="a known model; default: every one")
    options = parser.parse_args()
    script = turns(json.loads(options.script.read_text("utf-8"))) if options.script else []
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(script, options))


async def _serve(script: list[Turn], options: argparse.Namespace) -> None:
    fake = FakeServer(
        Scripted(script),
        port=options.port,
        window=options.window,
        keys=frozenset(options.key) if options.key else None,
        models=dict.fromkeys(options.model, options.window) if options.model else None,
    )
    async with fake:
        print(fake.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    main()
