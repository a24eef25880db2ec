"""Path strings that no platform agrees on: what is wrong with one, in words."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

from novacore.tools.files import printable

MAX_CHARS = 4_096
"""PATH_MAX on Linux; more than Windows takes without the long-path form."""
MAX_NAME_BYTES = 255
"""NAME_MAX of every file system in common use."""

MAX_LOOKED_AT = 5_000
"""Names of a folder among which one is looked for by what it looks like."""

_DRIVE = re.compile(r"^[A-Za-z]:")
_DEVICE = re.compile(r"^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$", re.IGNORECASE)


def broken(path: str) -> str:
    """Why ``path`` names no file anywhere, or nothing."""
    if "\0" in path:
        return "the path holds a NUL character"
    if len(path) > MAX_CHARS:
        return f"the path has {len(path):,} characters, more than {MAX_CHARS:,}"
    try:
        names = [os.fsencode(name) for name in path.split("/")]
    except UnicodeEncodeError:
        return "the path holds characters that no file name can hold"
    if any(len(name) > MAX_NAME_BYTES for name in names):
        return f"a name in the path is longer than {MAX_NAME_BYTES} bytes"
    return ""


def foreign(path: str) -> str:
    """Why ``path`` means something else on another platform, or nothing.

    Source: Win32 file namespaces (drives, UNC, alternate streams, device names, trailing dots).
    """
    if path.startswith("\\\\"):
        return "a network path (\\\\host\\share)"
    if _DRIVE.match(path):
        return "a Windows drive (C:)"
    for name in path.split("/"):
        if "\\" in name:
            return "a backslash; folders are separated by /"
        if ":" in name:
            return "a colon, which names an alternate stream on Windows"
        if _DEVICE.match(name.split(".")[0].rstrip(" ")):
            return f"{name}, a device name on Windows"
        if name not in (".", "..") and name.endswith((".", " ")):
            return "a name that ends in a dot or space, which Windows drops"
    return ""


def found_by_look(path: Path) -> Path:
    """``path`` with each name that holds U+FFFD replaced by the one file that is shown so.

    Names that are no UTF-8 cannot be written in any other way.
    """
    if "\ufffd" not in str(path):
        return path
    here = Path(path.anchor)
    for name in path.parts[1:]:
        unknown = "\ufffd" in name and not os.path.lexists(here / name)
        here = here / (_shown_as(here, name) if unknown else name)
    return here


def _shown_as(folder: Path, name: str) -> str:
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e in islice(entries, MAX_LOOKED_AT) if printable(e.name) == name]
    except OSError:
        return name
    return names[0] if len(names) == 1 else name
