"""The state as it stands in a boundary record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from novacore.engine.plain import from_plain, to_plain
from novacore.types import JSON, State


def to_json(state: State) -> JSON:
    """A JSON object; ``from_json`` gives back an equal state."""
    plain: JSON = to_plain(state)
    return plain


def from_json(data: Mapping[str, Any]) -> State:
    """The state of a boundary record. Raises ValueError for data of another shape."""
    return from_plain(State, data)
