"""Settings and state that every API of one fake server shares."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from fakellm.errors import unknown_model
from fakellm.policy import Policy, Turn
from fakellm.records import Api, Recorder, Request
from fakellm.sse import abort
from fakellm.tokens import Counter, Tokenizer, by_chars


@dataclass
class Core:
    """What the tests may set, and what was seen.

    ``window`` and ``max_output`` are tokens; ``models`` maps the known models to their windows
    (None: every model is known, with ``window``); ``keys`` are the accepted keys (None: any);
    ``models_endpoint`` False makes the models endpoint a plain 404, as some gateways have it.
    """

    policy: Policy
    window: int = 200_000
    max_output: int = 64_000
    models: Mapping[str, int] | None = None
    keys: frozenset[str] | None = None
    models_endpoint: bool = True
    strict_max_tokens: bool = False
    """Refuse input + max_tokens over the window, as models before Sonnet 4.5 did."""
    tokenizer: Tokenizer = by_chars
    clock: Callable[[], float] = time.monotonic
    recorder: Recorder = field(default_factory=Recorder)
    on_request: Callable[[Request], None] | None = None

    def __post_init__(self) -> None:
        self.counter = Counter(self.tokenizer)

    def window_of(self, model: str) -> int:
        """Tokens of the model's window; raises the 404 for an unknown model."""
        if self.models is None:
            return self.window
        if model not in self.models:
            raise unknown_model(model)
        return self.models[model]

    def record(self, api: Api, http: web.Request, body: dict[str, Any], tokens: int) -> Request:
        """Note a request that passed the protocol checks."""
        request = self.recorder.add(api, http.path, body, dict(http.headers))
        request.input_tokens = tokens
        if self.on_request:
            self.on_request(request)
        return request

    async def answer(self, http: web.Request, request: Request) -> Turn:
        """Ask the policy; carry out the faults that come before any byte."""
        turn = self.policy(request)
        fault = turn.fault
        if fault and fault.kind == "http" and fault.error:
            raise fault.error
        if fault and fault.after_events is None:
            if fault.kind == "stall":
                await asyncio.sleep(fault.seconds)
            elif fault.kind == "disconnect":
                abort(http)
        return turn
