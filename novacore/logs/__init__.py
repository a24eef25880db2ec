"""What the output of a command tells: pure functions over text, for the engine and for plugins."""

from __future__ import annotations

from novacore.logs.analysis import Analysis, analyse, causes, first_error
from novacore.logs.excerpts import Excerpt, excerpt, excerpt_of, shown
from novacore.logs.failing import failing_tests
from novacore.logs.judge import is_log
from novacore.logs.lines import split

__all__ = [
    "Analysis",
    "Excerpt",
    "analyse",
    "causes",
    "excerpt",
    "excerpt_of",
    "failing_tests",
    "first_error",
    "is_log",
    "shown",
    "split",
]
