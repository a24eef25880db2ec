"""Where instruction files lie, and what one of them says: bounded, decoded, never followed out."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

NOTE_BYTES = 120
"""What the note of a cut takes beside the name of the file."""
HASHED_BYTES = 8 * 2**20
"""A longer file's version is made of this much and its size: rules of that length are no rules."""
_ONLY_A_NAME = re.compile(r"\s*([^\s<>|\"*?:]+\.md)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A candidate: ``shown`` names it for people, ``uri`` for citations."""

    path: Path
    uri: str
    shown: str
    level: int
    inside: tuple[Path, ...] = ()
    """Real folders that its real path must lie in; empty for the user's own file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileText:
    """The text of a place with ``\\n`` line ends; ``identity`` is the same for links and twins."""

    place: Place
    text: str
    version: str
    bytes: int
    identity: tuple[int, int]
    warning: str = ""


class Unreadable(Exception):
    """A file that is there and cannot be used; the message says why."""


def folders(cwd: Path, roots: Sequence[Path]) -> list[Path]:
    """From the repository's root to ``cwd``; outside of one, from the workspace's root."""
    chain = [cwd, *cwd.parents]
    for top, folder in enumerate(chain):
        if os.path.lexists(folder / ".git"):
            return chain[top::-1]
    above = [chain.index(root) for root in roots if root in chain]
    return chain[min(above, default=0) :: -1]


def present(folder: Path, names: Sequence[str]) -> Path | None:
    """The first of ``names`` that the folder has, were it only as a broken link."""
    paths = (folder / name for name in names)
    return next((p for p in paths if os.path.lexists(p) and not p.is_dir()), None)


def read_file(place: Place) -> FileText | None:
    """What a place says; None when that is nothing. Raises Unreadable."""
    try:
        found = _read(place, _real(place, place.path))
        if (name := _ONLY_A_NAME.fullmatch(found.text)) is None:
            return found if found.text.strip() else None
        # A checkout without links leaves the link's target as the text of a small file.
        target = place.path.parent / name[1]
        if not os.path.lexists(target):
            raise Unreadable(f"it only names {name[1]}, which is not there")
        found = _read(place, _real(place, target))
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error
    return found if found.text.strip() else None


def cut(found: FileText, most: int) -> FileText:
    """At most ``most`` bytes, cut at a line end, with a note in place of the rest.

    The note itself (its words and the name) stays even when there is room for nothing else.
    """
    data = found.text.encode()
    if len(data) <= most:
        return found
    head = data[: max(most - NOTE_BYTES - len(found.place.shown.encode()), 0)]
    end = head.rfind(b"\n") + 1 or len(head)
    kept = head[:end].decode("utf-8", "ignore")
    warning = (
        f"cut to {len(kept.encode()):,} of {found.bytes:,} bytes, at line {kept.count(chr(10))}"
    )
    note = f"[{found.place.shown} is {warning}; read the file for the rest]\n"
    joint = "" if not kept or kept.endswith("\n") else "\n"
    return replace(found, text=f"{kept}{joint}{note}", warning=warning)


def _real(place: Place, path: Path) -> Path:
    real = Path(os.path.realpath(path, strict=True))  # resolve() raises no OSError for a loop
    if place.inside and not any(real.is_relative_to(folder) for folder in place.inside):
        raise Unreadable("it is a link that leads out of the repository")
    return real


def _read(place: Place, real: Path) -> FileText:
    # Not blocking: a pipe of this name would wait for a writer for ever.
    handle = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise Unreadable("it is not a regular file")
        data = file.read(HASHED_BYTES)
    more = f":{info.st_size}" if info.st_size > HASHED_BYTES else ""
    text, warning = _decoded(data)
    return FileText(
        place=place,
        text=text,
        version=hashlib.blake2b(data, digest_size=8).hexdigest() + more,
        bytes=info.st_size,
        identity=(info.st_dev, info.st_ino),
        warning=warning,
    )


def _decoded(data: bytes) -> tuple[str, str]:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text, warning = data.decode("utf-16", "replace"), ""
    elif b"\0" in data[:8192]:
        raise Unreadable("it is binary")
    else:
        text, warning = _utf8(data)
    return text.replace("\r\n", "\n").replace("\r", "\n"), warning


def _utf8(data: bytes) -> tuple[str, str]:
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        if len(data) == HASHED_BYTES and error.start > len(data) - 4:
            return data[: error.start].decode("utf-8-sig"), ""
        line = data[: error.start].count(b"\n") + 1
        return data.decode("utf-8-sig", "replace"), f"not UTF-8 at line {line}; save it as UTF-8"


def fit(files: Sequence[FileText], most: int) -> Iterator[FileText]:
    """All files, least specific first, cut from the first on until ``most`` bytes hold them."""
    over = sum(len(file.text.encode()) for file in files) - most
    for file in files:
        size = len(file.text.encode())
        shorter = cut(file, size - over) if over > 0 else file
        over -= size - len(shorter.text.encode())
        yield shorter
