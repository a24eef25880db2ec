"""The words that the navigator knows, from ``vocabulary.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """English words in lower case; ``forms`` count as one word, ``related`` only where it fails."""

    says_nothing: frozenset[str]
    forms: Groups
    related: Groups
    chinese_says_nothing: tuple[str, ...]
    chinese: Mapping[str, str]
    """Chinese words and what they are called in code."""


@cache
def vocabulary() -> Vocabulary:
    """The file's content, read once."""
    data = tomllib.loads(files(__package__).joinpath("vocabulary.toml").read_text("utf-8"))
    return Vocabulary(
        says_nothing=frozenset(data["says_nothing"].split()),
        forms=tuple(tuple(group.split()) for group in data["forms"]),
        related=tuple(tuple(group.split()) for group in data["related"]),
        chinese_says_nothing=tuple(data["chinese_says_nothing"]),
        chinese=data["chinese"],
    )
