"""JSON as it is written to disk: one line of valid UTF-8 without NaN, whatever the data holds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def well_formed(text: str) -> str:
    """``text`` with lone surrogates replaced by U+FFFD, so that it can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def to_bytes(value: Mapping[str, Any]) -> bytes:
    """One line without its newline. Keys keep their order; NaN and infinities become null."""
    try:
        text = _dumps(value)
    except ValueError:
        text = _dumps(_finite(value))
    return well_formed(text).encode()


def from_bytes(data: bytes) -> Any:
    """The value of a JSON text. Raises ValueError for anything else, too deep nesting included."""
    try:
        # Decoded here: the json module guesses encodings, and lets surrogates pass.
        value = json.loads(data.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    # An escape is the only way in for a surrogate; what is kept in memory must be writable too.
    if b"\\ud" in data or b"\\uD" in data:
        return json.loads(to_bytes({"value": value}))["value"]
    return value


def _dumps(value: object) -> str:
    return json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain
    )


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
