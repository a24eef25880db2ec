"""Checking a tool's input against its schema, with a message that a model can act on.

A subset of JSON Schema: type, enum, const, properties, required, additionalProperties, items,
lengths, bounds, pattern, anyOf, oneOf, allOf. Other keywords are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]
MAX_DEPTH = 32

_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list | tuple),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, float) and value.is_integer())
    ),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
_BOUNDS: Sequence[tuple[str, str, Callable[[Any, Any], bool]]] = (
    ("minimum", "at least", lambda value, bound: value >= bound),
    ("maximum", "at most", lambda value, bound: value <= bound),
    ("exclusiveMinimum", "more than", lambda value, bound: value > bound),
    ("exclusiveMaximum", "less than", lambda value, bound: value < bound),
)


def mistakes(value: Any, schema: Any, path: str = "") -> Iterator[str]:
    """What is wrong with ``value``, a short sentence each; nothing when it fits."""
    if schema is False:
        yield f"{path or 'the input'} is not allowed"
    if not isinstance(schema, Mapping) or path.count(".") + path.count("[") > MAX_DEPTH:
        return
    wanted = schema.get("type")
    types = [wanted] if isinstance(wanted, str) else wanted or []
    if types and not any(_TYPES.get(name, _any)(value) for name in types):
        yield f"{path or 'the input'} must be {' or '.join(types)}, not {_kind(value)}"
        return
    yield from _choices(value, schema, path)
    if isinstance(value, Mapping):
        yield from _object(value, schema, path)
    elif isinstance(value, list | tuple):
        yield from _array(value, schema, path)
    elif isinstance(value, str):
        yield from _string(value, schema, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        for name, words, holds in _BOUNDS:
            if name in schema and not holds(value, schema[name]):
                yield f"{path} must be {words} {schema[name]}"


def _choices(value: Any, schema: Schema, path: str) -> Iterator[str]:
    allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if allowed is not None and not any(_same(value, one) for one in allowed):
        yield f"{path} must be one of {', '.join(map(repr, allowed))}"
    for part in schema.get("allOf", ()):
        yield from mistakes(value, part, path)
    for name in ("anyOf", "oneOf"):
        parts = schema.get(name)
        if not parts:
            continue
        fits = sum(not any(mistakes(value, part, path)) for part in parts)
        if not fits or (name == "oneOf" and fits > 1):
            words = "none" if not fits else "more than one"
            yield f"{path or 'the input'} fits {words} of its forms"


def _object(value: Mapping[Any, Any], schema: Schema, path: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{_join(path, name)} is missing"
    extra = schema.get("additionalProperties", True)
    for name, inner in value.items():
        if name in known:
            yield from mistakes(inner, known[name], _join(path, name))
        elif extra is False:
            yield f"{_join(path, name)} is unknown; known are {', '.join(known) or 'none'}"
        else:
            yield from mistakes(inner, extra, _join(path, name))


def _array(value: Sequence[Any], schema: Schema, path: str) -> Iterator[str]:
    yield from _length(len(value), schema, "Items", "items", path)
    if "items" in schema:
        for place, inner in enumerate(value):
            yield from mistakes(inner, schema["items"], f"{path}[{place}]")


def _string(value: str, schema: Schema, path: str) -> Iterator[str]:
    yield from _length(len(value), schema, "Length", "characters", path)
    pattern = schema.get("pattern")
    if pattern is not None and not re.search(pattern, value):
        yield f"{path} must match {pattern}"


def _length(size: int, schema: Schema, keyword: str, unit: str, path: str) -> Iterator[str]:
    if size < schema.get(f"min{keyword}", 0):
        yield f"{path} needs at least {schema[f'min{keyword}']} {unit}"
    if size > schema.get(f"max{keyword}", size):
        yield f"{path} takes at most {schema[f'max{keyword}']} {unit}, not {size}"


def _same(value: Any, other: Any) -> bool:
    # For JSON true is not 1, as it is for Python.
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _kind(value: Any) -> str:
    return next((name for name, holds in _TYPES.items() if holds(value)), type(value).__name__)


def _any(value: Any) -> bool:
    return True
