"""What of a workspace could run or take effect if it were trusted, with a hash of each."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INSTRUCTIONS = frozenset({
    "AGENTS.md", "AGENTS.override.md", "AGENTS.local.md", "CLAUDE.md", "CLAUDE.local.md",
    "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md",
    "SKILL.md",
})  # fmt: skip
EDITOR_FILES = (".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json")
SKIPPED = {
    ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache",
    ".ruff_cache", ".pytest_cache", "target", "dist", "build",
}  # fmt: skip
MAX_FOLDERS = 20_000
MAX_ITEMS = 2_000
MAX_BYTES = 16 * 1024 * 1024
"""Larger files cannot be bound to their content, so that what holds one is never trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustItem:
    """``name`` stays the same when the content changes; ``shown`` tells what would happen."""

    name: str
    hash: str
    shown: str


def trust_items(root: Path, names: Collection[str] = INSTRUCTIONS) -> tuple[TrustItem, ...]:
    """Every such item of ``root``, each name once. Runs nothing.

    ``names`` are the instruction files; what the workspace's own settings call so is one too.
    """
    found: dict[str, TrustItem] = {}
    for item in _items(root, instruction_names(root, names)):
        if len(found) >= MAX_ITEMS:
            found["more"] = _item("more", secrets.token_bytes(8), "more than can be checked")
            break
        found.setdefault(item.name, item)
    return tuple(found.values())


def instruction_names(root: Path, names: Collection[str] = INSTRUCTIONS) -> frozenset[str]:
    """``names``, and those that the workspace's own settings would have read as instructions."""
    table = _settings(root).get("instructions")
    own = table if isinstance(table, dict) else {}
    lists = (own.get(key) for key in ("names", "local_names"))
    return frozenset(names).union(*(map(str, one) for one in lists if isinstance(one, list)))


def instruction_item(root: Path, path: Path) -> TrustItem:
    """The item of one instruction file, as it is now."""
    return _file(root, path, "instructions")


def _items(root: Path, names: Collection[str]) -> Iterator[TrustItem]:
    yield from _tree(root, root / ".novacore", "file")
    yield from _configured(root)
    yield from _servers(root)
    for name in EDITOR_FILES:
        yield from _editor(root, name)
    yield from _instructions(root, names)


def _item(name: str, content: bytes, shown: str = "") -> TrustItem:
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return TrustItem(name=name, hash=digest, shown=shown or name)


def _tree(root: Path, place: Path, kind: str) -> Iterator[TrustItem]:
    if place.is_symlink() or place.is_file():
        yield _file(root, place, kind)
        return
    for here, folders, files in os.walk(place):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        links = [name for name in folders if Path(here, name).is_symlink()]
        for name in sorted([*files, *links]):
            yield _file(root, Path(here, name), kind)


def _file(root: Path, path: Path, kind: str) -> TrustItem:
    shown = f"{kind} {os.path.relpath(path, root)}"
    target = os.fsencode(path.readlink()) if path.is_symlink() else b""
    return _item(shown, target + b"\0" + _content(path))


def _settings(root: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_content(root / ".novacore/config.toml").decode())
    except (ValueError, RecursionError):
        # Its bytes are an item already, and a file that does not parse configures nothing.
        return {}


def _configured(root: Path) -> Iterator[TrustItem]:
    for key, values in _leaves(_settings(root), ""):
        text = ", ".join(values)
        yield _item(f"setting {key}", text.encode(), f"setting {key} = {text}")
        if key.startswith("plugins."):
            for value in values:
                yield from _plugin(root, value)


def _plugin(root: Path, value: str) -> Iterator[TrustItem]:
    place = root / value.replace("\0", "")
    if not place.exists():
        return
    if place.resolve().is_relative_to(root):
        yield from _tree(root, place, "plugin file")
    else:
        outside = secrets.token_bytes(8)
        yield _item(f"plugin path {value}", outside, f"plugin path {value} outside the workspace")


def _leaves(value: object, key: str) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict):
        for name, inner in sorted(value.items()):
            yield from _leaves(inner, f"{key}.{name}".lstrip("."))
    elif isinstance(value, list):
        yield key, [str(inner) for inner in value]
    else:
        yield key, [str(value)]


def _servers(root: Path) -> Iterator[TrustItem]:
    data = _content(root / ".mcp.json")
    servers = _json(data).get("mcpServers")
    if not isinstance(servers, dict):
        if data:
            yield _item("file .mcp.json", data)
        return
    for name, server in sorted(servers.items()):
        yield _item(
            f"server {name}", json.dumps(server, sort_keys=True).encode(), _server(name, server)
        )


def _server(name: str, server: object) -> str:
    if not isinstance(server, dict):
        return f"server {name}"
    args = server.get("args")
    words = [server.get("command") or server.get("url") or ""]
    words += args if isinstance(args, list) else []
    return f"server {name}: {' '.join(str(word) for word in words)}"


def _editor(root: Path, name: str) -> Iterator[TrustItem]:
    data = _content(root / name)
    if not data:
        return
    yield _item(f"file {name}", data)
    for key, value in sorted(_json(data).items()):
        if key.startswith("novacore."):
            yield _item(f"setting {key}", str(value).encode(), f"setting {key} = {value}")


def _instructions(root: Path, names: Collection[str]) -> Iterator[TrustItem]:
    for seen, (here, folders, files) in enumerate(os.walk(root)):
        if seen > MAX_FOLDERS:
            yield _item("folders", secrets.token_bytes(8), "more folders than can be checked")
            return
        folders[:] = sorted(set(folders) - SKIPPED)
        for name in sorted(set(names).intersection(files)):
            yield instruction_item(root, Path(here, name))


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        if path.stat().st_size > MAX_BYTES:
            return secrets.token_bytes(8)
        return path.read_bytes()
    except OSError as error:
        return f"unreadable: {error.strerror}".encode()


def _json(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
