"""What tokens cost: a dated file, which users may override."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from novacore.types import Price, Usage


def price_of(
    model: str, usage: Usage | None = None, *, overrides: Mapping[str, Price] | None = None
) -> Price | None:
    """The price of a call of ``model``; None when it is unknown.

    An override for exactly this model wins; else the longest name in the file that the model's
    name begins with (a date may follow it). Some models cost more for long input: ``usage`` tells.
    """
    if overrides and model in overrides:
        return overrides[model]
    table = _file()
    name = _longest_prefix(model, table["models"])
    if name is None:
        return None
    long = table["long"].get(name)
    if long and usage and usage.uncached + usage.cache_read + usage.cache_write > long["over"]:
        return Price(**long["price"])
    return Price(**table["models"][name])


def dated() -> tuple[str, str]:
    """The day of the price file (ISO 8601) and where its figures come from."""
    table = _file()
    return table["as_of"].isoformat(), table["source"]


def _longest_prefix(model: str, names: Mapping[str, Any]) -> str | None:
    """``claude-opus-4-5`` is ``claude-opus-4-5-20251101``, but not ``claude-opus-4-55``."""
    fitting = [n for n in names if model == n or model.startswith((f"{n}-", f"{n}@"))]
    return max(fitting, key=len, default=None)


@lru_cache(maxsize=1)
def _file() -> dict[str, Any]:
    return tomllib.loads(files("novacore.models").joinpath("prices.toml").read_text("utf-8"))
