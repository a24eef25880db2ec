"""``doctor``: is everything there that this machine needs, and if not, what to do."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from novacore import __version__
from novacore.config.folders import cache_dir, config_dir, vocabularies
from novacore.config.load import api_key
from novacore.config.models import choose_model
from novacore.service.api import Check
from novacore.service.workspace import Workspace
from novacore.tokens import O200K, find_vocabulary

if TYPE_CHECKING:
    from novacore.host import PluginStatus

LOW_DISK = 500 * 2**20
"""Bytes free below which logs and spilled outputs are at risk."""


async def examine(space: Workspace, plugins: Iterable[PluginStatus]) -> tuple[Check, ...]:
    """Every check, in the order in which a person would read them."""
    groups = {
        "This installation": (*_versions(), *_grammars(), *_programs(space), _tokenizer()),
        "The model": tuple(_model(space)),
        "This folder": (_workspace(space), _trust(space), *_warnings(space)),
        "Where things are kept": tuple(_folders(space)),
        "Plugins": tuple(map(_plugin, plugins)),
    }
    return tuple(replace(c, group=name) for name, checks in groups.items() for c in checks)


def _versions() -> Iterator[Check]:
    yield Check(name="novacore", ok=True, value=__version__)
    yield Check(name="python", ok=True, value=f"{platform.python_version()} ({sys.executable})")
    yield Check(name="platform", ok=True, value=platform.platform())


def _model(space: Workspace) -> Iterator[Check]:
    choice = choose_model(space.settings)
    name = space.settings.providers.anthropic.api_key_env
    has_key = bool(api_key(space.settings))
    yield Check(
        name="model",
        ok=True,
        value=f"{choice.provider}/{choice.model} (from {choice.asked!r})",
        advice="" if has_key else "the embedded navigator answers about code, without a key",
    )
    yield Check(
        name="key",
        ok=has_key or choice.provider == "navigator",
        value=f"{name} is {'set' if has_key else 'not set'}",
        advice="" if has_key else f"for a language model: export {name}=...",
    )


def _grammars() -> Iterator[Check]:
    from novacore.code.grammars import available

    found = available()
    missing = sorted(name for name, loads in found.items() if not loads)
    yield Check(
        name="grammars",
        ok=not missing,
        value=f"{len(found) - len(missing)} of {len(found)} load",
        advice=f"cannot load {', '.join(missing)}: reinstall novacore-agent" if missing else "",
    )


def _tokenizer() -> Check:
    found = find_vocabulary(vocabularies())
    return Check(
        name="vocabulary",
        ok=True,
        value=f"{O200K.name}, {found}" if found else "none: tokens are estimated by kind of text",
        advice="" if found else f"novacore doctor --vocabulary {O200K.name}.tiktoken installs one",
    )


def _programs(space: Workspace) -> Iterator[Check]:
    for name, use in (("git", "needed for git facts"), ("rg", "makes text search faster")):
        found = shutil.which(name)
        below = found is not None and Path(found).resolve().is_relative_to(space.root)
        yield Check(
            name=name,
            ok=name != "git" or found is not None,
            value=found if found and not below else "not found",
            advice="" if found and not below else f"{use}; install it to have that",
        )


def _workspace(space: Workspace) -> Check:
    return Check(name="workspace", ok=True, value=str(space.root))


def _folders(space: Workspace) -> Iterator[Check]:
    folders = (("state", space.state), ("configuration", config_dir()), ("cache", cache_dir()))
    for name, folder in folders:
        there = _existing(folder)
        ok = os.access(there, os.W_OK | os.X_OK)
        advice = "" if ok else f"{there} cannot be written: unlock it, or set another folder"
        yield Check(name=f"{name} folder", ok=ok, value=str(folder), advice=advice)
    free = shutil.disk_usage(_existing(space.state)).free
    yield Check(
        name="disk",
        ok=free >= LOW_DISK,
        value=f"{free / 2**30:.1f} GiB free",
        advice="" if free >= LOW_DISK else "free some space: logs and outputs are kept there",
    )


def _existing(folder: Path) -> Path:
    """The nearest folder that is there; one that may not be looked into says so by itself."""
    return next(place for place in (folder, *folder.parents) if os.path.lexists(place))


def _trust(space: Workspace) -> Check:
    changed = f" (changed since: {', '.join(space.trust_changes)})" if space.trust_changes else ""
    return Check(
        name="trust",
        ok=True,
        value=("trusted" if space.trusted else "not trusted") + changed,
        advice="" if space.trusted else "its instructions are data until you run `novacore trust`",
    )


def _warnings(space: Workspace) -> Iterator[Check]:
    for line in space.config.warnings:
        yield Check(name="configuration", ok=True, value="has no effect in part", advice=line)


def _plugin(status: PluginStatus) -> Check:
    ok = status.state in ("active", "disabled")
    return Check(
        name=status.name,
        ok=ok,
        value=f"{status.state}, {status.source}",
        advice="" if ok else status.detail,
    )
