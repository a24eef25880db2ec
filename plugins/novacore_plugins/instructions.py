"""Instruction files: the user's own, then every level from the repository down to the folder.

`AGENTS.md` stands before `CLAUDE.md` at each level; `AGENTS.local.md` files come last. Only these
are read: no imports, and no file of a folder that was merely touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from novacore import Hooks, override
from novacore.services import Services
from novacore.types import InstructionsRequest, Section
from novacore_plugins.instruction_files import (
    FileText,
    Place,
    Unreadable,
    cut,
    fit,
    folders,
    present,
    read_file,
)


class InstructionsSettings(BaseModel, extra="forbid"):
    """Settings of ``instructions``."""

    names: tuple[str, ...] = ("AGENTS.md", "CLAUDE.md")
    """The first of these that a folder has is its rules."""
    local_names: tuple[str, ...] = ("AGENTS.local.md",)
    """The person's own changes to a repository's rules."""
    file_bytes: Annotated[int, Field(ge=1_000)] = 32_768
    """Bytes of one file; the rest is cut at a line end."""
    total_bytes: Annotated[int, Field(ge=1_000)] = 65_536
    """Bytes of all files; the least specific is cut first."""


class Instructions(Hooks):
    """Reads the files anew each time: equal files give equal sections."""

    Config = InstructionsSettings

    def __init__(self, config: InstructionsSettings, services: Services) -> None:
        self._config = config

    @override
    def inject_instructions(self, request: InstructionsRequest) -> Sequence[Section]:
        """A section a file, least specific first; a file that cannot be read says so."""
        files: list[FileText] = []
        broken: list[Section] = []
        for place in _places(request, self._config):
            try:
                found = read_file(place)
            except Unreadable as error:
                broken.append(_broken(place, str(error)))
                continue
            # By identity, not by name: a linked copy would double the cost of the same rules.
            if found is not None and found.identity not in {f.identity for f in files}:
                files.append(cut(found, self._config.file_bytes))
        sections = [*map(_section, fit(files, self._config.total_bytes)), *broken]
        return tuple(sorted(sections, key=lambda section: section.level))


def _places(request: InstructionsRequest, config: InstructionsSettings) -> Iterator[Place]:
    if request.user and (path := present(Path(request.user), config.names)):
        yield Place(path=path, uri=f"user:{path.name}", shown=f"your {path.name}", level=0)
    roots = [Path(os.path.realpath(root)) for root in request.roots]
    chain = folders(Path(os.path.realpath(request.cwd)), roots)
    found = [path for folder in chain if (path := present(folder, config.names))]
    found += [path for folder in chain if (path := present(folder, config.local_names))]
    inside = (chain[0], *((Path(os.path.realpath(request.user)),) if request.user else ()))
    for level, path in enumerate(found, start=1):
        uri = _uri(path, roots, chain[0])
        shown = uri.partition(":")[2]
        yield Place(path=path, uri=uri, shown=shown, level=level, inside=inside)


def _uri(path: Path, roots: Sequence[Path], top: Path) -> str:
    """``file:`` inside the roots; ``repository:`` above them, in the same repository."""
    if roots and path.is_relative_to(roots[0]):
        uri = f"file:{path.relative_to(roots[0]).as_posix()}"
    elif any(path.is_relative_to(root) for root in roots):
        uri = f"file:{path.as_posix()}"
    else:
        uri = f"repository:{path.relative_to(top).as_posix()}"
    return uri.encode("utf-8", "replace").decode()


def _section(file: FileText) -> Section:
    place = file.place
    return Section(
        id=place.uri,
        text=file.text,
        uri=place.uri,
        version=file.version,
        level=place.level,
        warning=file.warning,
    )


def _broken(place: Place, why: str) -> Section:
    """A rule that cannot be read must not look like no rule."""
    text = f"[{place.shown} holds rules that could not be read: {why}]\n"
    return Section(
        id=place.uri,
        text=text,
        uri=place.uri,
        version="unreadable",
        level=place.level,
        warning=f"could not be read: {why}",
    )
