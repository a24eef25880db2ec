"""Make the settings from their layers, each value with its origin."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from novacore.config import layers, toml_file
from novacore.config.folders import config_dir
from novacore.config.keys import all_keys, key_of, nearest
from novacore.config.layers import KeyPath, Merged
from novacore.config.settings import Settings
from novacore.config.shown import dotted, shown
from novacore.errors import ConfigError

FILE_NAME = "config.toml"
PROJECT_FILE = f".novacore/{FILE_NAME}"
_VERB = re.compile(r"^(?:Input |Value error, )")
_WANTED = {
    "tuple_type": "should be a list",
    "list_type": "should be a list",
    "dict_type": "should be a table",
    "model_type": "should be a table",
    "string_pattern_mismatch": "should be the name of a variable",
}
"""TOML's words for types where pydantic has Python's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value as a person may see it: secrets are replaced by ``(set)``."""

    key: str
    value: Any
    origin: str
    """``default``, a file, ``environment NAME`` or ``flag``; joined by `` + `` where layers add."""
    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings in force, where each comes from, and what had no effect."""

    settings: Settings
    values: tuple[Value, ...]
    warnings: tuple[str, ...] = ()


def load(
    *,
    root: Path | None = None,
    trusted: bool = False,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Defaults, then the user's file, a trusted project's file, the environment, the flags.

    ``root`` is the workspace; ``flags`` are values by dotted key; ``environ`` is the environment of
    the user's shell (default: this process's). Raises ConfigError with file and line.
    """
    environ = os.environ if environ is None else environ
    project = root / PROJECT_FILE if root else None
    stack = [layers.default_layer(), layers.file_layer(config_dir() / FILE_NAME)]
    if project and trusted:
        stack.append(layers.project_layer(project))
    stack += [*layers.environment_layers(environ), layers.flag_layer(flags or {})]
    merged = Merged()
    for layer in filter(None, stack):
        layers.put(merged, layer)
    settings = _validate(merged)
    warnings = [line for layer in filter(None, stack) for line in layer.warnings]
    if project and not trusted and os.path.lexists(project):
        warnings.append(f"{project} has no effect: this folder is not trusted (`novacore trust`)")
    values = (*_values(merged, settings), _key_row(settings, environ))
    return Config(settings=settings, values=values, warnings=tuple(warnings))


def api_key(settings: Settings, environ: Mapping[str, str] | None = None) -> str:
    """The key of the Anthropic endpoint from the user's environment; empty when there is none."""
    environ = os.environ if environ is None else environ
    return environ.get(settings.providers.anthropic.api_key_env, "").strip()


def _validate(merged: Merged) -> Settings:
    try:
        return Settings.model_validate(_nest(merged.values))
    except ValidationError as error:
        first, *others = error.errors(include_url=False, include_context=False)
        more = f" (and {len(others)} more)" if others else ""
        raise ConfigError(_explain(merged, first) + more) from error


def _nest(values: Mapping[KeyPath, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path, value in sorted(values.items(), key=lambda item: len(item[0])):
        table = tree
        for name in path[:-1]:
            table = table.setdefault(name, {})
            if not isinstance(table, dict):
                break  # A plain value where a table belongs: validation names it.
        else:
            table[path[-1]] = value
    return tree


def _explain(merged: Merged, error: Mapping[str, Any]) -> str:
    path = _culprit(merged, tuple(str(part) for part in error["loc"]))
    layer = merged.sources.get(path)
    where = toml_file.place(layer.file, path) if layer and layer.file else merged.origins.get(path)
    name = dotted(path)
    if error["type"] == "extra_forbidden" and key_of(path) is None:
        hint = nearest(".".join(path))
        return f"{where}: unknown key {name}" + (f"; did you mean {hint}?" if hint else "")
    words = _WANTED.get(error["type"], _VERB.sub("", str(error["msg"])))
    got = shown(path, error["input"])
    return f"{where}: {name} {words}, not {str(got)[:60]!r}"


def _culprit(merged: Merged, loc: KeyPath) -> KeyPath:
    def meets(path: KeyPath) -> bool:
        shared = min(len(path), len(loc))
        return path[:shared] == loc[:shared] and merged.origins[path] != "default"

    return next(filter(meets, reversed(merged.sources)), loc)


def _values(merged: Merged, settings: Settings) -> Iterator[Value]:
    table = settings.model_dump()
    for key in all_keys().values():
        path = tuple(key.name.split("."))
        below = [p for p in merged.values if p[: len(path)] == path]
        for entry in below or [path]:
            yield Value(
                key=dotted(entry),
                value=shown(entry, _at(table, entry)),
                origin=merged.origins.get(entry, "default"),
                scope=key.scope.who,
            )


def _at(table: Any, path: KeyPath) -> Any:
    for name in path:
        table = table[name]
    return table


def _key_row(settings: Settings, environ: Mapping[str, str]) -> Value:
    name = settings.providers.anthropic.api_key_env
    return Value(
        key="providers.anthropic.api_key",
        value="(set)" if api_key(settings, environ) else "(not set)",
        origin=f"environment {name}",
        scope="machine",
    )
