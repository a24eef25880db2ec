"""Gitignore patterns from files and models: wrong ones are left out, and none may take for ever."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_STARS = 3
"""``*`` in one part of a pattern, a last one aside, and ``**`` in all: matching backtracks."""
MAX_CHARS = 1_000

_STAR = re.compile(r"\*(?!\Z)")


def compile_globs(lines: Iterable[str]) -> GitIgnoreSpec:
    """The rules in ``lines``, without those that are no pattern or too complex."""
    return _compile(tuple(lines))


def problem_of(pattern: str) -> str:
    """Why ``pattern`` cannot be used, or nothing."""
    from pathspec import GitIgnoreSpec

    parts = pattern.split("/")
    stars = [len(_STAR.findall(part)) for part in parts if part != "**"]
    if (
        len(pattern) > MAX_CHARS
        or parts.count("**") > MAX_STARS
        or max(stars, default=0) > MAX_STARS
    ):
        return "too many wildcards"
    try:
        GitIgnoreSpec.from_lines([pattern])
    except (ValueError, re.error) as error:
        return str(error)
    return ""


@lru_cache(maxsize=512)
def _compile(lines: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([line for line in lines if not problem_of(line)])
