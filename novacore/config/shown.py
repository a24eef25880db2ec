"""How keys and values are shown to a person: names quoted as in TOML, secrets left out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

SET = "(set)"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|auth", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")


def dotted(path: Sequence[str]) -> str:
    """A key path as TOML writes it."""
    return ".".join(name if _BARE.fullmatch(name) else json.dumps(name) for name in path)


def shown(path: Sequence[str], value: Any) -> Any:
    """``value`` without what only the user and the provider should know."""
    if tuple(path[:3]) == ("providers", "anthropic", "headers"):
        return SET if value else value
    if tuple(path[:3]) == ("providers", "anthropic", "api_key_env") and not _is_name(value):
        return SET  # The key itself, where its variable's name belongs.
    if tuple(path[:2]) == ("plugins", "options"):
        return _option(path[-1], value)
    return _USER_INFO.sub("***@", value) if isinstance(value, str) else value


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,80}", value))


def _option(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _option(str(key), entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_option(name, entry) for entry in value]
    if value and _SECRET_NAME.search(name):
        return SET
    return _USER_INFO.sub("***@", value) if isinstance(value, str) else value
