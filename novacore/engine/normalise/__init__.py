"""The normaliser: the last step before every request. A bad block never bricks a session."""

from __future__ import annotations

from novacore.engine.normalise.blocks import ImageLimits, portable_name
from novacore.engine.normalise.dangling import Dangling, dangling
from novacore.engine.normalise.isolate import isolate
from novacore.engine.normalise.reasons import result_text
from novacore.engine.normalise.request import normalise

__all__ = [
    "Dangling",
    "ImageLimits",
    "dangling",
    "isolate",
    "normalise",
    "portable_name",
    "result_text",
]
