"""Opening a file for reading that must not be waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_FLAGS = os.O_RDONLY
for _name in ("O_CLOEXEC", "O_BINARY", "O_NONBLOCK"):
    _FLAGS |= getattr(os, _name, 0)


def open_regular(path: Path, *, follow: bool = False) -> BinaryIO:
    """The regular file ``path``; one behind a link only with ``follow``.

    Raises OSError, also for a pipe, a socket or a device, which could keep a reader for ever.
    """
    handle = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    if not stat.S_ISREG(mode := os.fstat(handle).st_mode):
        os.close(handle)
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        words = os.strerror(number) if stat.S_ISDIR(mode) else "not a regular file"
        raise OSError(number, words, str(path))
    return os.fdopen(handle, "rb")
