"""Providers' token counters in one form. Pure functions.

Anthropic's input excludes the cache and its stream counters are cumulative; OpenAI's input
includes what was read from the cache, and its output includes the reasoning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from novacore.tokens import estimate
from novacore.types import Price, Usage

MILLION = 1_000_000

Counters = Mapping[str, Any]


def anthropic(parts: Iterable[Counters | None], *, complete: bool = True) -> Usage | None:
    """The usage of a stream from its ``usage`` objects, first to last; None when none says a thing.

    A later number replaces an earlier one; an absent or null one never erases it. ``complete``
    False: the connection was lost, so ``output`` is a lower bound.
    """
    merged = _merge(parts)
    if not merged:
        return None
    split = _merge([merged.get("cache_creation")])
    short, long = (
        _number(split, "ephemeral_5m_input_tokens"),
        _number(split, "ephemeral_1h_input_tokens"),
    )
    written = _number(merged, "cache_creation_input_tokens")
    return Usage(
        uncached=_number(merged, "input_tokens"),
        cache_read=_number(merged, "cache_read_input_tokens"),
        cache_write=max(written, short + long),
        cache_write_1h=long,
        output=_number(merged, "output_tokens"),
        incomplete=not complete,
        inconsistent=bool(split) and written != short + long,
    )


def openai(counters: Counters | None, *, complete: bool = True) -> Usage | None:
    """The usage of a chat completion, a response, or a compatible server; None when absent.

    Reasoning tokens are inside the output. More cached than sent: the cached ones are cut to what
    was sent and the usage is marked inconsistent.
    """
    given = _merge([counters])
    if not given:
        return None
    details = given.get("prompt_tokens_details") or given.get("input_tokens_details")
    total = _number(given, "prompt_tokens", "input_tokens")
    cached = _number(_merge([details]), "cached_tokens")
    return Usage(
        uncached=max(0, total - cached),
        cache_read=min(cached, total),
        output=_number(given, "completion_tokens", "output_tokens"),
        incomplete=not complete,
        inconsistent=cached > total,
    )


def estimated(sent: str, received: str, *, complete: bool = True) -> Usage:
    """The class estimate of what was sent and received, where a provider reports nothing."""
    return Usage(
        uncached=estimate(sent),
        output=estimate(received),
        estimated=True,
        incomplete=not complete,
    )


def cost(usage: Usage, price: Price | None) -> float | None:
    """US dollars of one call; None where the price is unknown."""
    if price is None:
        return None
    return (
        usage.uncached * price.uncached
        + usage.cache_read * price.cache_read
        + (usage.cache_write - usage.cache_write_1h) * price.cache_write
        + usage.cache_write_1h * price.cache_write_1h
        + usage.output * price.output
    ) / MILLION


def _merge(parts: Iterable[Counters | None]) -> dict[str, Any]:
    return {k: v for part in parts if part for k, v in part.items() if v is not None}


def _number(counters: Counters, *names: str) -> int:
    found = next((counters[name] for name in names if name in counters), 0)
    return max(0, int(found))
