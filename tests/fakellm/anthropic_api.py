"""POST /v1/messages, /v1/messages/count_tokens and GET /v1/models."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from fakellm import prompt_cache, reply, request_rules, signatures
from fakellm.core import Core
from fakellm.errors import ApiError, invalid, overloaded, too_long
from fakellm.policy import new_id
from fakellm.sse import Event, send_events

Body = dict[str, Any]

MAX_BYTES = 32 * 1024 * 1024


class AnthropicApi:
    """The Messages API over a :class:`Core`."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.cache = prompt_cache.PromptCache(core.clock)

    def routes(self) -> list[web.RouteDef]:
        """What the server mounts."""
        return [
            web.post("/v1/messages", self.messages),
            web.post("/v1/messages/count_tokens", self.count_tokens),
            web.get("/v1/models/{id}", self.model),
        ]

    async def messages(self, http: web.Request) -> web.StreamResponse:
        """One reply, streamed when the body says so."""
        try:
            return await self._messages(http)
        except ApiError as error:
            return _refusal(error)

    async def count_tokens(self, http: web.Request) -> web.StreamResponse:
        """Tokens of the request's input."""
        try:
            body = await self._read(http, needs_max_tokens=False)
        except ApiError as error:
            return _refusal(error)
        blocks = prompt_cache.prompt_blocks(body, self.core.counter)
        return web.json_response({"input_tokens": sum(b.tokens for b in blocks)})

    async def model(self, http: web.Request) -> web.StreamResponse:
        """Window and output maximum of one model."""
        name = http.match_info["id"]
        if not self.core.models_endpoint:
            return web.Response(status=404, text="not here")
        try:
            request_rules.check_headers(_lower(http), self.core.keys)
            window = self.core.window_of(name)
        except ApiError as error:
            return _refusal(error)
        return web.json_response(_model_card(name, window, self.core.max_output))

    async def _messages(self, http: web.Request) -> web.StreamResponse:
        body = await self._read(http)
        window = self.core.window_of(body["model"])
        signatures.check_reasoning(body)
        blocks = prompt_cache.prompt_blocks(body, self.core.counter)
        prompt_cache.check_marks(blocks)
        total = sum(b.tokens for b in blocks)
        request = self.core.record("anthropic", http, body, total)
        self._check_window(body, total, window)
        turn = await self.core.answer(http, request)
        use = self.cache.use(body["model"], blocks)
        message = reply.message(body, turn, use, self.core.counter)
        request.usage = message["usage"] if turn.reports_usage else {}
        headers = {"request-id": new_id("req_")}
        if not body.get("stream"):
            return web.json_response(message, headers=headers)
        error_event: Event = ("error", _detail(overloaded()))
        return await send_events(
            http, reply.events(message, turn), turn.fault, error_event, headers
        )

    def _check_window(self, body: Body, total: int, window: int) -> None:
        if total > window:
            raise too_long(total, window)
        if self.core.strict_max_tokens and total + body["max_tokens"] > window:
            raise invalid(
                f"input length and `max_tokens` exceed context limit: {total} + "
                f"{body['max_tokens']} > {window}, decrease input length or `max_tokens` and "
                "try again"
            )

    async def _read(self, http: web.Request, *, needs_max_tokens: bool = True) -> Body:
        request_rules.check_headers(_lower(http), self.core.keys)
        raw = await http.read()
        if len(raw) > MAX_BYTES:
            raise ApiError(413, "request_too_large", "Request exceeds the maximum size")
        try:
            body: Body = json.loads(raw)
        except ValueError as error:
            raise invalid(f"The request body is not valid JSON: {error}") from None
        request_rules.check_body(body, needs_max_tokens=needs_max_tokens)
        return body


def _lower(http: web.Request) -> dict[str, str]:
    return {k.lower(): v for k, v in http.headers.items()}


def _model_card(name: str, window: int, max_output: int) -> Body:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": window,
        "max_tokens": max_output,
    }


def _detail(error: ApiError) -> Body:
    detail: Body = {"type": error.type, "message": error.message}
    if error.code:
        detail["details"] = {"error_code": error.code}
    return {"type": "error", "error": detail}


def _refusal(error: ApiError) -> web.Response:
    request_id = new_id("req_")
    return web.json_response(
        {**_detail(error), "request_id": request_id},
        status=error.status,
        headers={"request-id": request_id, **error.headers},
    )
