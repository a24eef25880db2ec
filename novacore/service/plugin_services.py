"""What the service lends to plugins: an implementation of ``novacore.services``."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from novacore.config.folders import config_dir, private
from novacore.errors import ConfigError
from novacore.service.reads import CodeReads
from novacore.services import Clock, CodeReader, PastReader
from novacore.tokens import estimate

SECRETS_FILE = "secrets.toml"


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


class PluginServices:
    """The services of one plugin."""

    def __init__(
        self,
        name: str,
        *,
        state: Path,
        code: CodeReads,
        past: PastReader,
        on_usage: Callable[[str, Mapping[str, Any], float | None], None],
    ) -> None:
        self.log = logging.getLogger(f"novacore.plugin.{name}")
        self.clock: Clock = SystemClock()
        self.code: CodeReader = code
        self.past = past
        self._name = name
        self._state = state
        self._on_usage = on_usage

    @property
    def data_dir(self) -> Path:
        """The plugin's own folder (0700), made on first use."""
        return private(self._state / "plugins" / self._name)

    def secret(self, name: str) -> str | None:
        """``secrets.toml`` in the user's configuration folder (0600), table of this plugin.

        Raises ConfigError when others may read the file.
        """
        import tomllib

        path = config_dir() / SECRETS_FILE
        if not path.exists():
            return None
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise ConfigError(f"{path} may be read by others: run `chmod 600 {path}`")
        value = tomllib.loads(path.read_text("utf-8")).get(self._name, {}).get(name)
        return value if isinstance(value, str) else None

    def count(self, text: str) -> int:
        """Estimated tokens."""
        return estimate(text)

    def report_usage(self, name: str, usage: Mapping[str, Any], cost: float | None = None) -> None:
        """Count a side call; it gets its own line in the session's cost."""
        self._on_usage(f"{self._name}.{name}", usage, cost)

    def changed(self, hook: str) -> None:
        """The plugin's answer to ``hook`` may differ the next time it is asked.

        No answer outlives its occasion here, so that nothing has to be dropped: it is only noted.
        """
        self.log.info("%s may answer %s differently from now on", self._name, hook)
