"""The server itself: all APIs on one loopback port, in this event loop or in a thread."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from aiohttp import web

from fakellm.anthropic_api import AnthropicApi
from fakellm.chat_api import ChatApi
from fakellm.core import Core
from fakellm.policy import Policy
from fakellm.records import Request

MAX_BODY = 64 * 1024 * 1024


class FakeServer:
    """``async with FakeServer(policy) as fake``, or plain ``with`` from synchronous code.

    ``fake.url`` is the base URL for the Anthropic SDK; OpenAI clients want ``fake.url + "/v1"``.
    Keyword arguments are the fields of :class:`Core`.
    """

    def __init__(self, policy: Policy, port: int = 0, **settings: Any) -> None:
        self.core = Core(policy, **settings)
        self.url = ""
        self._port = port
        self._runner: web.AppRunner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def requests(self) -> list[Request]:
        """Every request so far that passed the protocol checks."""
        return self.core.recorder.requests

    async def __aenter__(self) -> FakeServer:
        app = web.Application(client_max_size=MAX_BODY)
        app.add_routes([*AnthropicApi(self.core).routes(), *ChatApi(self.core).routes()])
        app.add_routes([web.get("/fake/requests", self._seen)])
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._runner:
            await self._runner.cleanup()

    def __enter__(self) -> FakeServer:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.__aenter__(), self._loop).result(10)
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._loop
        assert self._thread
        asyncio.run_coroutine_threadsafe(self.__aexit__(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _seen(self, http: web.Request) -> web.Response:
        """What was recorded, for tests that run the fake as a process of its own."""
        rows = [
            {
                "body": r.body,
                "usage": r.usage,
                "input_tokens": r.input_tokens,
                "unchanged": r.unchanged,
                "previous": r.previous,
            }
            for r in self.requests
        ]
        return web.json_response(rows)
