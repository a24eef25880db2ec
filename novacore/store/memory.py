"""Memory files that people write: where they lie, what they say, and which of them still hold."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from novacore.store.frontmatter import Value, split_frontmatter
from novacore.store.jsontext import well_formed
from novacore.types import Trust

INDEX = "memory.md"
MAX_BYTES = 256 * 2**10
"""A larger file is reported, not read."""
MAX_FILES = 2_000
"""Files of one folder that are read, by name."""
_REQUIRED = ("name", "description", "type")
_OPTIONAL = ("created", "updated", "source", "authority", "scope")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlace:
    """A folder of memory files. ``name`` is ``user``, ``project`` or ``workspace``.

    ``trust`` is the most that its files get, whatever they say of themselves. Their real paths
    stay inside ``inside``, where that is given.
    """

    name: str
    folder: Path
    trust: Trust
    inside: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory. ``uri`` is ``mem:<place>/<file name>``, ``version`` the hash of the file."""

    uri: str
    path: Path
    place: str
    name: str
    description: str
    type: str
    text: str
    version: str
    trust: Trust
    created: str = ""
    updated: str = ""
    source: str = ""
    authority: str = ""
    scope: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    """Name of the memory of the same place that replaced it; it is not to be shown as current."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadMemory:
    """A memory file that could not be read, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memories:
    """What the folders hold, in the order of places and names."""

    entries: tuple[Memory, ...] = ()
    unread: tuple[UnreadMemory, ...] = ()


def memory_places(
    *, config: Path, state: Path, repository: str, root: Path, workspace: Trust
) -> tuple[MemoryPlace, ...]:
    """The folders of a session: the person's, the repository's, and what lies in the workspace.

    ``workspace`` is how far the workspace is trusted: ``project`` or ``untrusted``.
    """
    project = state / "repositories" / repository / "memory"
    shared = root / ".novacore" / "memory"
    return (
        MemoryPlace(name="user", folder=config / "memory", trust=Trust.USER),
        MemoryPlace(name="project", folder=project, trust=Trust.USER),
        MemoryPlace(name="workspace", folder=shared, trust=workspace, inside=root),
    )


def read_memories(places: Iterable[MemoryPlace]) -> Memories:
    """Read every memory file; what cannot be read is reported with its reason, never raised."""
    entries: list[Memory] = []
    unread: list[UnreadMemory] = []
    for place in places:
        found: list[Memory] = []
        for path in memory_files(place):
            try:
                found.append(_read(path, place))
            except ValueError as error:
                unread.append(UnreadMemory(path=path, reason=str(error)))
            except OSError as error:
                unread.append(UnreadMemory(path=path, reason=error.strerror or str(error)))
        entries += _superseded(found)
    return Memories(entries=tuple(entries), unread=tuple(unread))


def memory_files(place: MemoryPlace) -> tuple[Path, ...]:
    """Paths of the files of a place, by name; the index ``MEMORY.md`` is none of them."""
    if not place.folder.is_dir():
        return ()
    with os.scandir(place.folder) as entries:
        names = sorted(e.name for e in entries if e.name.lower().endswith(".md"))
    return tuple(place.folder / name for name in names if name.lower() != INDEX)[:MAX_FILES]


def _read(path: Path, place: MemoryPlace) -> Memory:
    data = _bytes(path, place.inside)
    try:
        fields, body = split_frontmatter(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from error
    missing = [key for key in _REQUIRED if not _word(fields, key)]
    if missing:
        raise ValueError(f"the frontmatter has no {', '.join(missing)}")
    supersedes = fields.get("supersedes", ())
    return Memory(
        uri=f"mem:{place.name}/{well_formed(path.name)}",
        path=path,
        place=place.name,
        text=body,
        version=hashlib.blake2b(data, digest_size=8).hexdigest(),
        trust=_weaker(_word(fields, "trust"), place.trust),
        supersedes=(supersedes,) if isinstance(supersedes, str) else supersedes,
        **{key: _word(fields, key) for key in (*_REQUIRED, *_OPTIONAL)},
    )


def _bytes(path: Path, inside: Path | None) -> bytes:
    # A link of a foreign workspace may name any file of the user.
    if inside is not None and not path.resolve().is_relative_to(inside.resolve()):
        raise ValueError("a link that leaves the workspace")
    info = path.stat()
    if not stat.S_ISREG(info.st_mode):
        raise ValueError("no regular file")
    if info.st_size > MAX_BYTES:
        raise ValueError(f"{info.st_size:,} bytes; at most {MAX_BYTES:,} are read")
    if info.st_size == 0:
        raise ValueError("empty")
    return path.read_bytes()


def _word(fields: Mapping[str, Value], key: str) -> str:
    value = fields.get(key, "")
    return value if isinstance(value, str) else ", ".join(value)


def _weaker(said: str, most: Trust) -> Trust:
    order = list(Trust)
    claimed = Trust(said) if said in order else most
    return max(claimed, most, key=order.index)


def _superseded(found: Sequence[Memory]) -> list[Memory]:
    """Mark what was replaced. Newest edges first; one that would close a circle does not count."""
    names = {memory.name for memory in found}
    by: dict[str, str] = {}
    for memory in sorted(found, key=lambda m: (m.updated or m.created, m.name), reverse=True):
        for old in (name.strip().removesuffix(".md") for name in memory.supersedes):
            if old in names and old not in by and not _leads_to(by, memory.name, old):
                by[old] = memory.name
    return [replace(memory, superseded_by=by.get(memory.name, "")) for memory in found]


def _leads_to(by: Mapping[str, str], name: str, target: str) -> bool:
    while name != target and name in by:
        name = by[name]
    return name == target
