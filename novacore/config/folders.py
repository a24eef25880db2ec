"""Where NovaCore keeps its own files: never in the repository that it works on."""

from __future__ import annotations

import os
from pathlib import Path

from novacore.errors import ConfigError


def _folder(variable: str, kind: str) -> Path:
    if value := os.environ.get(variable):
        folder = expanded(value)
    else:
        import platformdirs

        try:
            folder = Path(getattr(platformdirs, f"user_{kind}_dir")("novacore", appauthor=False))
        except RuntimeError as error:
            raise ConfigError(f"no home folder is known: set HOME or {variable}") from error
    if not folder.is_absolute():
        # Below the working folder it would lie in the repository that is worked on.
        raise ConfigError(
            f"the {kind} folder {folder} is not absolute: set HOME or {variable} to a whole path"
        )
    return folder


def state_dir() -> Path:
    """Sessions, artifacts, trust, faults. ``NOVACORE_STATE_DIR`` overrides it.

    This and the other two raise ConfigError where no home folder is known, or for a relative one.
    """
    return _folder("NOVACORE_STATE_DIR", "state")


def config_dir() -> Path:
    """The user's settings, rules and memory. ``NOVACORE_CONFIG_DIR`` overrides it."""
    return _folder("NOVACORE_CONFIG_DIR", "config")


def cache_dir() -> Path:
    """What can be deleted without loss. ``NOVACORE_CACHE_DIR`` overrides it."""
    return _folder("NOVACORE_CACHE_DIR", "cache")


def vocabularies() -> Path:
    """Where `novacore doctor --vocabulary` puts a tokenizer's file."""
    return cache_dir() / "vocabulary"


def expanded(path: str) -> Path:
    """``path`` with the home folder for ``~``; as it stands where no home folder is known."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def private(folder: Path) -> Path:
    """Make ``folder`` (0700, whatever the umask) with its parents, and return it."""
    missing = [p for p in (folder, *folder.parents) if not p.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for made in missing:
        made.chmod(0o700)
    return folder
