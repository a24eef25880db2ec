"""Where a person works: roots, trust, configuration, paths. The same for every session there."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from novacore.config.folders import expanded, private, state_dir
from novacore.config.load import Config, load
from novacore.errors import DiskRefused, UsageError
from novacore.service.api import ServiceOptions
from novacore.store.repository import repository_id
from novacore.tools.paths import PathPolicy
from novacore.tools.trust import TrustStore

if TYPE_CHECKING:
    from novacore.config.settings import Settings

TRUST_FILE = "trust.json"
FAULTS_FILE = "faults.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A folder that is worked in. ``root`` is its repository, or itself without one."""

    cwd: Path
    root: Path
    trusted: bool
    trust_changes: tuple[str, ...]
    config: Config
    principal: str
    repository: str
    """Its id; empty where none could be kept, as ``refused`` says."""
    refused: DiskRefused | None
    state: Path
    user_names: tuple[str, ...]
    """Instruction files by the user's own settings, whatever the workspace's say."""

    @property
    def settings(self) -> Settings:
        """The settings in force here."""
        return self.config.settings

    def policy(self, artifacts: Path | None = None) -> PathPolicy:
        """The path policy of this workspace; ``artifacts`` may be read without asking."""
        return PathPolicy(
            (self.root,),
            deny=self.settings.permissions.deny_paths,
            artifacts_dir=artifacts,
            ignore=self.settings.ignore,
            protected=_instruction_names(self.settings),
        )

    def trust_store(self) -> TrustStore:
        """Who is trusted, by the names that the user's own settings read as instructions."""
        return TrustStore(self.state / TRUST_FILE, self.user_names)


def open_workspace(options: ServiceOptions, environ: Mapping[str, str] | None = None) -> Workspace:
    """Find the workspace of ``options.cwd``. Raises UsageError when there is no such folder."""
    cwd = _folder(options.cwd)
    root = root_of(cwd)
    state = state_dir()
    # Whoever only reads code needs none; what must be written there says so itself.
    with suppress(OSError):
        private(state)
    # Before the workspace has a word: its settings count only once it is trusted.
    own = load(flags=options.overrides, environ=environ)
    names = _instruction_names(own.settings)
    entry = TrustStore(state / TRUST_FILE, names).status(root)
    config = load(root=root, trusted=entry.trusted, flags=options.overrides, environ=environ)
    repository, refused = _identity(root, state)
    return Workspace(
        cwd=cwd,
        root=root,
        trusted=entry.trusted,
        trust_changes=entry.changed,
        config=config,
        principal=_user(),
        repository=repository,
        refused=refused,
        state=state,
        user_names=names,
    )


def _instruction_names(settings: Settings) -> tuple[str, ...]:
    return (*settings.instructions.names, *settings.instructions.local_names)


def _folder(path: Path) -> Path:
    try:
        real = expanded(str(path)).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise UsageError(f"no such folder: {path}") from error
    if not real.is_dir():
        raise UsageError(f"{path} is a file: give the folder that it is in")
    return real


def _identity(root: Path, state: Path) -> tuple[str, DiskRefused | None]:
    try:
        return repository_id(root, state=state), None
    except DiskRefused as error:
        return "", error


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a number that has no name.
        return f"uid-{os.getuid()}"


def root_of(path: Path) -> Path:
    """The nearest folder above that holds ``.git``; never the home folder itself or above it.

    Raises UsageError when there is no such folder.
    """
    cwd = _folder(path)
    home = expanded("~")
    for folder in (cwd, *cwd.parents):
        if folder == home and folder != cwd:
            return cwd
        if os.path.lexists(folder / ".git"):
            return folder
    return cwd
