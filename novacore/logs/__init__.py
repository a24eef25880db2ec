"""What the output of a command tells: pure functions over text, for the engine and for plugins."""

from __future__ import annotations

from novacore.logs.analysis import Analysis, analyse, causes, first_error
from novacore.logs.excerpts import Excerpt, excerpt, excerpt_of
from novacore.logs.failing import failing_tests
from novacore.logs.judge import is_log
from novacore.logs.lines import split
from novacore.logs.show import choose, render, width_for

__all__ = [
    "Analysis",
    "Excerpt",
    "analyse",
    "causes",
    "choose",
    "excerpt",
    "excerpt_of",
    "failing_tests",
    "first_error",
    "is_log",
    "render",
    "split",
    "width_for",
]
