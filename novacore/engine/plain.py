"""Frozen dataclasses to plain JSON values and back, for the records that hold them."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """``value`` as dicts, lists and scalars; fields that have their default are left out."""
    if is_dataclass(value):
        return {
            f.name: to_plain(getattr(value, f.name))
            for f in fields(value)
            if getattr(value, f.name) != _default(f)
        }
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value


def from_plain(cls: type[T], data: Any) -> T:
    """The inverse of ``to_plain``. Unknown keys of a later release are skipped.

    Raises ValueError for data of another shape.
    """
    return cast(T, _read(cls, data))


def well_typed(kind: Any, value: Any) -> bool:
    """Whether ``value`` is what its annotations say, all the way down."""
    if is_dataclass(kind):
        cls = cast(type, kind)
        return isinstance(value, cls) and all(
            well_typed(hint, getattr(value, name)) for name, hint in _hints(cls).items()
        )
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return any(well_typed(arg, value) for arg in args)
    if origin is Literal:
        return value in args
    if origin is tuple:
        return isinstance(value, tuple) and all(well_typed(args[0], item) for item in value)
    if origin is not None:
        return isinstance(value, origin)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


def _default(f: Any) -> Any:
    return f.default if f.default_factory is MISSING else f.default_factory()


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _read(kind: Any, data: Any) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _read_record(kind, data)
    if origin in (Union, types.UnionType):
        return _read_first(args, data)
    if origin is tuple:
        if not isinstance(data, list | tuple):
            raise ValueError(f"expected a list, not {type(data).__name__}")
        return tuple(_read(args[0], item) for item in data)
    if origin is not Literal and origin is None and not well_typed(kind, data):
        raise ValueError(f"expected {kind.__name__}, not {type(data).__name__}")
    if origin is Literal and data not in args:
        raise ValueError(f"unknown value {data!r}")
    return data


def _read_first(kinds: tuple[Any, ...], data: Any) -> Any:
    if data is None and type(None) in kinds:
        return None
    reasons = []
    for kind in kinds:
        try:
            return _read(kind, data)
        except ValueError as error:
            reasons.append(str(error))
    raise ValueError("; ".join(reasons))


def _read_record(kind: Any, data: Any) -> Any:
    if not isinstance(data, Mapping):
        raise ValueError(f"expected {kind.__name__}, not {type(data).__name__}")
    hints = _hints(kind)
    try:
        return kind(**{name: _read(hints[name], data[name]) for name in hints if name in data})
    except TypeError as error:
        raise ValueError(f"{kind.__name__}: {error}") from error
