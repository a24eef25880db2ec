"""Layers of the configuration, each a flat table of dotted keys, and how they lie on each other."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from novacore.config import toml_file
from novacore.config.keys import all_keys, is_table, key_of, nearest
from novacore.errors import ConfigError

RESERVED = frozenset({"NOVACORE_STATE_DIR", "NOVACORE_CONFIG_DIR", "NOVACORE_CACHE_DIR"})
SHELL = {"ANTHROPIC_BASE_URL": ("providers", "anthropic", "base_url")}
KeyPath = tuple[str, ...]
PATTERNS: frozenset[KeyPath] = frozenset({("permissions", "deny_paths"), ("ignore",)})
"""Lists of gitignore patterns, where ``!`` takes away what an earlier entry names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Values by key path, and where each comes from, in words."""

    values: Mapping[KeyPath, Any]
    origins: Mapping[KeyPath, str]
    warnings: tuple[str, ...] = ()
    file: toml_file.TomlFile | None = None
    project: bool = False


@dataclass(slots=True)
class Merged:
    """The layers so far: what holds, where it comes from, and which layers said anything."""

    values: dict[KeyPath, Any] = field(default_factory=dict)
    origins: dict[KeyPath, str] = field(default_factory=dict)
    sources: dict[KeyPath, Layer] = field(default_factory=dict)


def flatten(table: Mapping[str, Any], prefix: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """The leaves of nested tables. An empty table says nothing, unless no such table is known."""
    for name, value in table.items():
        path = (*prefix, str(name))
        if isinstance(value, Mapping) and (value or is_table(path)):
            yield from flatten(value, path)
        else:
            yield path, value


def default_layer() -> Layer:
    """What holds when nobody says anything."""
    values: dict[KeyPath, Any] = {}
    for key in all_keys().values():
        path = tuple(key.name.split("."))
        values.update(flatten(key.default, path) if key.mapping else [(path, key.default)])
    return Layer(values=values, origins=dict.fromkeys(values, "default"))


def file_layer(path: Path) -> Layer | None:
    """The user's file; None when there is none."""
    file = toml_file.read(path)
    if file is None:
        return None
    values = dict(flatten(file.table))
    return Layer(values=values, origins=dict.fromkeys(values, str(path)), file=file)


def project_layer(path: Path) -> Layer | None:
    """A trusted project's file: only keys of scope ``project``; the others have no effect.

    Where layers add, an entry that would take another's away (``!pattern``) has none either.
    """
    layer = file_layer(path)
    if layer is None:
        return None
    refused = [p for p in layer.values if (key := key_of(p)) and key.scope.who != "project"]
    values = {p: _added(p, value) for p, value in layer.values.items() if p not in refused}
    refused += [p for p, value in values.items() if value != layer.values[p]]
    warnings = tuple(
        f"{toml_file.place(layer.file, p)}: {'.'.join(p)} has no effect in a project's file"
        f"{' where it begins with !' if p in values else ''}; set it in your own"
        for p in refused
    )
    return Layer(
        values=values, origins=layer.origins, warnings=warnings, file=layer.file, project=True
    )


def _added(path: KeyPath, value: Any) -> Any:
    if path not in PATTERNS or not _lists(value):
        return value
    return [entry for entry in value if not str(entry).startswith("!")]


def environment_layers(environ: Mapping[str, str]) -> tuple[Layer, Layer]:
    """The provider's own variables of the user's shell, then ``NOVACORE_*`` (``__`` nests)."""
    shell: dict[KeyPath, tuple[str, Any]] = {
        path: (name, environ[name]) for name, path in SHELL.items() if environ.get(name)
    }
    own: dict[KeyPath, tuple[str, Any]] = {}
    for name in sorted(environ):
        if name.startswith("NOVACORE_") and name not in RESERVED:
            path = tuple(name.removeprefix("NOVACORE_").lower().split("__"))
            own.update((p, (name, v)) for p, v in _variable(name, path, environ[name]))
    return _from_environment(shell), _from_environment(own)


def _from_environment(found: Mapping[KeyPath, tuple[str, Any]]) -> Layer:
    return Layer(
        values={path: value for path, (_, value) in found.items()},
        origins={path: f"environment {name}" for path, (name, _) in found.items()},
    )


def _variable(name: str, path: KeyPath, text: str) -> Iterator[tuple[KeyPath, Any]]:
    key = key_of(path)
    if key is None:
        wanted = nearest(".".join(path)).upper().replace(".", "__")
        hint = f"; did you mean NOVACORE_{wanted}?" if wanted else "; unset it"
        raise ConfigError(f"environment {name}: unknown key{hint}")
    value = text if key.text else _toml_value(text)
    if isinstance(value, Mapping):
        yield from flatten(value, path)
    else:
        yield path, value


def _toml_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def flag_layer(flags: Mapping[str, Any]) -> Layer:
    """Values by dotted key, as a front end's flags give them."""
    values = {tuple(name.split(".")): value for name, value in flags.items()}
    return Layer(values=values, origins=dict.fromkeys(values, "flag"))


def put(merged: Merged, layer: Layer) -> None:
    """Lay ``layer`` on top, by the merge rule of each key."""
    for path, value in layer.values.items():
        key = key_of(path)
        before = merged.values.get(path)
        rule = key.scope.merge if key else "replace"
        if rule == "lower" and layer.project and not _lowers(before, value):
            continue
        if rule == "add" and before and _lists(before, value):
            merged.values[path] = (*before, *(entry for entry in value if entry not in before))
            merged.origins[path] += f" + {layer.origins[path]}"
        else:
            merged.values[path] = value
            merged.origins[path] = layer.origins[path]
        merged.sources[path] = layer


def _lowers(before: Any, value: Any) -> bool:
    # A value of a wrong type goes on to validation, which names the key.
    if not isinstance(value, int | float):
        return bool(value != "none")
    return not isinstance(before, int | float) or bool(value < before)


def _lists(*values: Any) -> bool:
    return all(isinstance(value, Sequence) and not isinstance(value, str) for value in values)
