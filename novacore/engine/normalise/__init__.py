"""The normaliser: the last step before every request. A bad block never bricks a session."""

from __future__ import annotations

from novacore.engine.normalise.blocks import ImageLimits, Sound, portable_name
from novacore.engine.normalise.dangling import Dangling, dangling
from novacore.engine.normalise.isolate import isolate, likeliest
from novacore.engine.normalise.reasons import NOT_STARTED, result_text
from novacore.engine.normalise.request import normalise

__all__ = [
    "NOT_STARTED",
    "Dangling",
    "ImageLimits",
    "Sound",
    "dangling",
    "isolate",
    "likeliest",
    "normalise",
    "portable_name",
    "result_text",
]
