"""Token counting for the fake: an injected ``str -> int``, remembered by text."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fakellm.prompt import canonical

Tokenizer = Callable[[str], int]


def by_chars(text: str) -> int:
    """Four characters a token: deterministic, offline and close enough for a fake."""
    return -(-len(text) // 4)


class Counter:
    """Counts tokens of texts and of JSON values."""

    def __init__(self, tokenizer: Tokenizer = by_chars) -> None:
        self.text: Tokenizer = lru_cache(maxsize=4096)(tokenizer)

    def value(self, value: Any) -> int:
        """Tokens of a JSON value: a string as itself, anything else as compact JSON."""
        return self.text(value if isinstance(value, str) else canonical(value))
