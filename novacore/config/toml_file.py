"""A TOML file that can say on which line a key stands."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from novacore.config.regular import open_regular
from novacore.errors import ConfigError

MAX_BYTES = 1_000_000
_MAX_VALUE_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlFile:
    """A configuration file that was read: its table and its text."""

    path: Path
    text: str
    table: Mapping[str, Any]


def read(path: Path) -> TomlFile | None:
    """Read and parse ``path``; None when there is no such file.

    Raises ConfigError, one line with file and line, for a file that cannot be read or parsed.
    """
    data = _bytes(path)
    if data is None:
        return None
    text = _text(path, data)
    try:
        return TomlFile(path=path, text=text, table=tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_syntax(path, str(error), text)) from error
    except RecursionError as error:
        raise ConfigError(f"{path}: the file is nested too deeply") from error
    except ValueError as error:
        raise ConfigError(f"{path}: not valid TOML: a number is too large") from error


def _bytes(path: Path) -> bytes | None:
    try:
        with open_regular(path, follow=True) as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigError(f"{path}: larger than {MAX_BYTES:,} bytes, so not a configuration")
        return data
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); fix it or move it"
        ) from error


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: the file is not UTF-8; save it as UTF-8") from error


def _syntax(path: Path, message: str, text: str) -> str:
    words, _, place = message.rpartition(" (at ")
    if place.startswith("line "):
        line = place.removeprefix("line ").partition(",")[0]
    else:
        line, words = str(text.rstrip("\n").count("\n") + 1), words or message
    return f"{path}:{line}: not valid TOML: {words}"


def place(file: TomlFile | None, key: Sequence[str]) -> str:
    """``path:line`` of a key; only the path when its line cannot be told."""
    if file is None:
        return ""
    line = _line_of(file.text, key)
    return f"{file.path}:{line}" if line else str(file.path)


def _line_of(text: str, key: Sequence[str]) -> int:
    # tomllib gives no positions, but the key stands where a prefix of the file first holds it.
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if key[-1] in line and _holds(lines, number, key):
            return number
    return 0


def _holds(lines: Sequence[str], number: int, key: Sequence[str]) -> bool:
    for end in range(number, min(number + _MAX_VALUE_LINES, len(lines)) + 1):
        try:
            table: Any = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        for name in key:
            table = table.get(name) if isinstance(table, Mapping) else None
        return table is not None
    return False
