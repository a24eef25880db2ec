"""A small JSON object in the state folder that several processes may change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from novacore.config.regular import open_regular
from novacore.errors import DiskRefused
from novacore.store.private import private_folder, refusal, write_private
from novacore.types import JSON

MAX_BYTES = 16 * 1024 * 1024
LOCK_SECONDS = 5.0


def load_object(file: Path) -> JSON:
    """The object in ``file``; empty when it is missing, damaged, a link, or anything else."""
    try:
        with open_regular(file) as opened:
            data = json.loads(opened.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        # Losing what was granted is safe: the user is asked again.
        return {}
    return data if isinstance(data, dict) else {}


def update_object(file: Path, change: Callable[[JSON], JSON]) -> None:
    """Replace the object by ``change`` of it, in one step and under a lock (file mode 0600).

    Raises ``DiskRefused`` when the folder cannot be written or stays locked.
    """
    from filelock import FileLock, Timeout

    lock = file.with_name(f"{file.name}.lock")
    try:
        private_folder(file.parent)
        with FileLock(lock, timeout=LOCK_SECONDS, mode=0o600):
            data = json.dumps(change(load_object(file)), indent=1, sort_keys=True)
            write_private(file, data.encode(), sync=True)
    except Timeout:
        raise DiskRefused(f"{lock} stays locked by another process; end it and try again") from None
    except OSError as error:
        raise refusal(error, file) from error
