"""Where a model's window comes from: endpoint, configuration, a refusal, or the default."""

from __future__ import annotations

import pytest

from fakellm import FakeServer, Scripted
from novacore import errors
from novacore.models import provider
from novacore.types import Message, ModelRequest, Text

MODEL = "claude-sonnet-5-5"


async def info(fake, **more):
    model = provider("anthropic", base_url=fake.url, api_key="k", **more)
    try:
        return await model.info(MODEL)
    finally:
        await model.aclose()


async def test_the_endpoint_says_window_and_output():
    async with FakeServer(Scripted([]), window=1_000_000, max_output=128_000) as fake:
        known = await info(fake)
    assert (known.window, known.max_output, known.window_source) == (1_000_000, 128_000, "endpoint")
    assert known.caching
    assert known.provider == "anthropic"


async def test_the_configuration_overrides_it():
    async with FakeServer(Scripted([]), window=1_000_000) as fake:
        known = await info(fake, windows={MODEL: 64_000})
    assert (known.window, known.window_source) == (64_000, "configuration")
    assert known.max_output == 64_000


async def test_without_a_models_endpoint_the_default_holds():
    async with FakeServer(Scripted([]), models_endpoint=False) as fake:
        known = await info(fake)
    assert (known.window, known.window_source) == (128_000, "default")


async def test_an_unknown_model_is_an_error():
    async with FakeServer(Scripted([]), models={"other": 9}) as fake:
        with pytest.raises(errors.UnknownModel):
            await info(fake)


async def test_a_refusal_teaches_a_smaller_window():
    async with FakeServer(Scripted([]), window=1000, models_endpoint=False) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k", windows={MODEL: 5000})
        assert (await model.info(MODEL)).window == 5000
        message = Message(role="user", blocks=(Text(text="x" * 9000),))
        request = ModelRequest(model=MODEL, system=(), tools=(), messages=(message,), max_tokens=10)
        with pytest.raises(errors.TooLong):
            await anext(model.stream(request))
        known = await model.info(MODEL)
        await model.aclose()
    assert (known.window, known.window_source) == (1000, "learned")


async def test_the_endpoint_is_asked_once():
    async with FakeServer(Scripted([]), window=50_000) as fake:
        model = provider("anthropic", base_url=fake.url, api_key="k")
        first = await model.info(MODEL)
        fake.core.window = 60_000
        assert await model.info(MODEL) == first
        await model.aclose()
