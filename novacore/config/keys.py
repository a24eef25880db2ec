"""The keys of the configuration: what each is called, takes and means."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from novacore.config.settings import USER, Scope, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One row of the settings table. ``name`` is dotted; below a ``mapping`` any name may stand."""

    name: str
    scope: Scope
    default: Any
    meaning: str
    mapping: bool
    text: bool
    """It takes a plain text: an environment variable is taken word for word."""


@cache
def all_keys() -> dict[str, Key]:
    """Every key by its dotted name, in the order of the table."""
    return {key.name: key for key in _walk(Settings, "")}


def _walk(table: type[BaseModel], prefix: str) -> Iterator[Key]:
    for name, field in table.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _walk(kind, f"{prefix}{name}.")
        else:
            yield _key(prefix + name, field)


def _key(name: str, field: FieldInfo) -> Key:
    default = field.get_default(call_default_factory=True)
    return Key(
        name=name,
        scope=next((mark for mark in field.metadata if isinstance(mark, Scope)), USER),
        default=default,
        meaning=field.description or "",
        mapping=isinstance(default, dict),
        text=isinstance(default, str),
    )


def key_of(path: Sequence[str]) -> Key | None:
    """The key that ``path`` names or stands below, e.g. models.aliases for models.aliases.fast."""
    keys = all_keys()
    for end in range(len(path), 0, -1):
        key = keys.get(".".join(path[:end]))
        if key is not None and (key.mapping or end == len(path)):
            return key
    return None


def is_table(path: Sequence[str]) -> bool:
    """True for a table of the settings, and for a table below a key that takes one."""
    prefix = ".".join(path) + "."
    return key_of(path) is not None or any(name.startswith(prefix) for name in all_keys())


def nearest(name: str) -> str:
    """The known key that ``name`` was probably meant to be; empty when none is near."""
    known = list(all_keys())
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if not close:
        last = name.rpartition(".")[2]
        ends = {key.rpartition(".")[2]: key for key in known}
        close = [ends[end] for end in difflib.get_close_matches(last, ends, n=1, cutoff=0.75)]
    return close[0] if close else ""
