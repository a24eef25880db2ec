"""File names for ids that come from providers, proxies and servers: short, safe and distinct."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container
from itertools import count

MAX_NAME = 120
"""Characters of a name that is kept readable; longer ids become a hash."""

_PLAIN = re.compile(r"[ !-.0-\[\]-~]+")  # printable ASCII without both slashes
_REPLACED = re.compile(r"[^A-Za-z0-9._-]")
_DEVICE = re.compile(r"(?i:con|prn|aux|nul|conin_|conout_|(?:com|lpt)[0-9])(?:\.|$)")


def safe_name(text: str, taken: Container[str]) -> str:
    """A name of ``[A-Za-z0-9._-]``, at most 120 characters, for the id ``text``.

    ``taken`` holds the lower-case names in use: the result differs from each, on file systems that
    fold case too. An id that is empty, long, hostile (a path, a device, hidden, an option, no
    ASCII) or taken becomes a hash.
    """
    name = _readable(text)
    if name and name.lower() not in taken:
        return name
    data = text.encode("utf-8", "surrogatepass")
    return next(
        name
        for number in count()
        if (name := f"id-{hashlib.sha256(b'%d:%b' % (number, data)).hexdigest()[:24]}") not in taken
    )


def _readable(text: str) -> str:
    if len(text) > MAX_NAME or not _PLAIN.fullmatch(text) or text.startswith((".", "-")):
        return ""
    name = _REPLACED.sub("_", text)
    return "" if _DEVICE.match(name) or name.endswith(".") or ".." in name else name
