"""A plugin's own settings: the user's table, validated by the plugin's ``Config``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from novacore.errors import ConfigError
from novacore.host.entry_points import nearest


def build(cls: type[Any], name: str, options: Mapping[str, Any], services: Any) -> Any:
    """``cls(config, services)``, or ``cls()`` when its constructor takes nothing.

    Raises ConfigError that names the key; whatever the constructor raises passes through.
    """
    config = validated(cls, name, options)
    if not inspect.signature(cls).parameters:
        return cls()
    return cls(config, services)


def validated(cls: type[Any], name: str, options: Mapping[str, Any]) -> Any:
    """The plugin's ``Config`` made of ``options``; None when it has none. Raises ConfigError."""
    model = getattr(cls, "Config", None)
    if model is None:
        if options:
            key = f"plugins.options.{name}"
            raise ConfigError(f"{key}: this plugin has no settings; remove the table")
        return None
    _known_keys(model, name, options)
    from pydantic import ValidationError

    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(map(str, (f"plugins.options.{name}", *first["loc"])))
        raise ConfigError(f"{key}: {first['msg']}") from error


def _known_keys(model: Any, name: str, options: Mapping[str, Any]) -> None:
    if model.model_config.get("extra") == "allow":
        return
    fields = model.model_fields
    known = {*fields, *(f.alias for f in fields.values() if f.alias)}
    for key in options:
        if key not in known:
            raise ConfigError(
                f"plugins.options.{name}.{key}: no such setting{nearest(key, sorted(known))}"
            )
