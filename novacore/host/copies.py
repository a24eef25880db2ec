"""Private copies of requests and answers, so that no plugin can change what another one sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

Bridge = Callable[[Callable[..., Any]], Callable[..., Any]]

_ATOMS = frozenset((str, int, float, bool, bytes, type(None)))


def private(value: Any, bridge: Bridge) -> Any:
    """A copy that shares only what cannot change; callables pass through ``bridge``.

    Plain dicts and lists, not proxies: a plugin may want to send a part of a request as JSON.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if isinstance(value, Mapping):
        return {private(k, bridge): private(v, bridge) for k, v in value.items()}
    if isinstance(value, list | tuple):
        copied = [private(item, bridge) for item in value]
        return copied if isinstance(value, list) else tuple(copied)
    if isinstance(value, set | frozenset):
        return kind(private(item, bridge) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return _rebuilt(value, bridge)
    if callable(value) and not isinstance(value, type):
        return bridge(value)
    return value


def plain(value: Any) -> Any:
    """A copy of a plugin's answer that the plugin holds no part of. Lists become tuples."""
    if isinstance(value, list | tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, str):
        # A subclass could answer differently each time that it is asked.
        return str.__str__(value)
    return private(value, lambda function: function)


def _rebuilt(value: Any, bridge: Bridge) -> Any:
    made = object.__new__(type(value))
    for field in fields(value):
        # Around __init__ and the frozen __setattr__: a copy has nothing to validate again.
        object.__setattr__(made, field.name, private(getattr(value, field.name), bridge))
    return made
