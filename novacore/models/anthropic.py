"""The Anthropic provider: the Messages API, at Anthropic or any server that speaks it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from novacore import errors
from novacore.models import anthropic_wire
from novacore.models.anthropic_answer import Answer
from novacore.models.failures import Endpoint, after_shown, failure_of
from novacore.models.retries import Backoff, Sleep
from novacore.types import JSON, ModelEvent, ModelInfo, ModelRequest, ToolSpec

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncStream
    from anthropic.types import ModelInfo as ModelCard
    from anthropic.types import RawMessageStreamEvent

DEFAULT_URL = "https://api.anthropic.com"
CONNECT_SECONDS = 10.0
CREDENTIAL_HEADERS = ("authorization", "x-api-key")


class AnthropicProvider:
    """Answers through one endpoint. Address, key and headers are given, never looked up.

    ``timeout`` is seconds without an answer; ``windows`` (tokens by model) come from the user's
    configuration. A request is sent again only while nothing of its answer was given out.
    """

    name = "anthropic"

    def __init__(
        self,
        *,
        base_url: str = "",
        api_key: str = "",
        headers: Mapping[str, str] | None = None,
        timeout: float = 600.0,
        windows: Mapping[str, int] | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._url = base_url or DEFAULT_URL
        self._key = api_key.strip()
        self._headers = dict(headers or {})
        self._timeout = timeout
        self._windows = dict(windows or {})
        self._learned: dict[str, int] = {}
        self._cards: dict[str, ModelInfo] = {}
        self._sleep = sleep
        self._opening = asyncio.Lock()
        self._opened: AsyncAnthropic | None = None
        self._tools: Sequence[ToolSpec] = ()
        self._made: anthropic_wire.Made = {}

    async def info(self, model: str) -> ModelInfo:
        """Window and output maximum: learned from a refusal, configured, or the endpoint's.

        Raises a ``ModelError``; an endpoint without a list of models gives the defaults.
        """
        if model not in self._cards:
            self._cards[model] = await self._card(model)
        info = self._cards[model]
        if window := self._windows.get(model):
            info = replace(info, window=window, window_source="configuration")
        learned = self._learned.get(model, info.window)
        if learned < info.window:
            info = replace(info, window=learned, window_source="learned")
        return info

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer a request.

        A stream that breaks after something was given out ends with the open text as a
        ``BlockDone``, an ``AnswerDone`` whose stop reason is ``interrupted`` and whose usage is
        incomplete, and then raises ``StreamCut``. All other failures raise before any event.
        """
        body = anthropic_wire.body(request, self._made_with(request.tools))
        client = await self._client()
        backoff = Backoff(self._sleep)
        while True:
            answer = Answer(body)
            try:
                async with await self._send(client, body) as raw:
                    async for wire in raw:
                        for event in answer.take(wire):
                            yield event
                if answer.finished:
                    yield answer.done()
                    return
                failure: errors.ModelError = self._ended_early()
            except Exception as error:
                failure = self._failure(error, request.model)
            if answer.shown:
                for event in answer.cut():
                    yield event
                raise after_shown(failure) from failure
            await backoff.wait(failure)

    def _made_with(self, tools: Sequence[ToolSpec]) -> anthropic_wire.Made:
        """What was made for the request before, where its tools were the same."""
        if self._tools != tools:
            self._tools, self._made = tools, {}
        return self._made

    async def aclose(self) -> None:
        """Close connections."""
        if self._opened:
            await self._opened.close()
            self._opened = None

    async def _send(self, client: AsyncAnthropic, body: JSON) -> AsyncStream[RawMessageStreamEvent]:
        # Not `messages.create`: it warns about models and reorders what it is given.
        from anthropic import AsyncStream
        from anthropic.types import Message, RawMessageStreamEvent

        return await client.post(
            "/v1/messages",
            body=body,
            cast_to=Message,
            stream=True,
            stream_cls=AsyncStream[RawMessageStreamEvent],
        )

    async def _card(self, model: str) -> ModelInfo:
        client = await self._client()
        backoff = Backoff(self._sleep)
        while True:
            try:
                return self._read_card(model, await client.models.retrieve(model))
            except Exception as error:
                if _has_no_models_endpoint(error):
                    return ModelInfo(id=model, provider=self.name, images=True, caching=True)
                failure = self._failure(error, model)
            await backoff.wait(failure)

    def _read_card(self, model: str, card: object) -> ModelInfo:
        from anthropic.types import ModelInfo as ModelCard

        if not isinstance(card, ModelCard):  # The SDK hands on whatever text came with a 200.
            raise errors.ModelError(
                f"{_without_secrets(self._url)} answers, but not as a model's API does; check"
                " providers.anthropic.base_url, or sign in to this network"
            )
        return _info(model, card)

    def _failure(self, error: Exception, model: str) -> errors.ModelError:
        """Our error for ``error``, its window remembered; raises what is no provider's failure."""
        failure = failure_of(error, Endpoint(url=_without_secrets(self._url), model=model))
        if failure is None:
            raise error
        if isinstance(failure, errors.TooLong) and failure.window:
            self._learned[model] = failure.window
        if failure is not error:
            failure.__cause__ = error
        return failure

    def _ended_early(self) -> errors.Unreachable:
        return errors.Unreachable(
            f"{_without_secrets(self._url)} ended the answer before its end; try again"
        )

    async def _client(self) -> AsyncAnthropic:
        _check_address(self._url)
        _check_credentials(self._key, self._headers)
        async with self._opening:
            if self._opened is None:
                self._opened = await asyncio.to_thread(self._open)
            return self._opened

    def _open(self) -> AsyncAnthropic:
        """Import the SDK (1.2 s, 74 MB) and make a client that the environment cannot change."""
        import anthropic

        client = anthropic.AsyncAnthropic(
            api_key=self._key,
            base_url=self._url,
            max_retries=0,
            timeout=anthropic.Timeout(self._timeout, connect=CONNECT_SECONDS),
        )
        # ANTHROPIC_CUSTOM_HEADERS is merged in whatever is passed; a repository's shell hooks or a
        # wrapper could set it.
        client._custom_headers = self._headers
        if not self._key:
            client.api_key = None
        _ = client.messages, client.models
        return client


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or not url.isprintable():
        raise errors.ModelError(
            f"{_without_secrets(url)!r} is no address; correct providers.anthropic.base_url, or"
            " ANTHROPIC_BASE_URL in your shell"
        )


def _check_credentials(key: str, headers: Mapping[str, str]) -> None:
    """Refuse here what the transport would refuse with the value itself in its message."""
    if not key and not any(name.lower() in CREDENTIAL_HEADERS for name in headers):
        raise errors.BadCredentials(
            "No API key: set ANTHROPIC_API_KEY in your shell, or use --model navigator"
        )
    if not (key.isprintable() and key.isascii()):
        raise errors.BadCredentials(
            "The API key holds a line break, a control character or a foreign letter;"
            " set ANTHROPIC_API_KEY again"
        )
    for name, value in headers.items():
        if not value.isprintable():
            raise errors.ModelError(
                f"providers.anthropic.headers.{name} holds a control character; correct it"
            )


def _without_secrets(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//", url)


def _info(model: str, card: ModelCard) -> ModelInfo:
    default = ModelInfo(id=model, provider=AnthropicProvider.name)
    image = card.capabilities.image_input.supported if card.capabilities else True
    return replace(
        default,
        window=card.max_input_tokens or default.window,
        max_output=card.max_tokens or default.max_output,
        images=image,
        caching=True,
        window_source="endpoint" if card.max_input_tokens else "default",
    )


def _has_no_models_endpoint(error: Exception) -> bool:
    """A gateway's plain 404, 405 or 501: not the API's own word about the model."""
    import anthropic

    return (
        isinstance(error, anthropic.APIStatusError)
        and error.status_code in (404, 405, 501)
        and error.type != "not_found_error"
    )
