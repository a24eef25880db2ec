"""What instruction sections must keep."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

from novacore.errors import ContractError
from novacore.types import InstructionsRequest, Section

MAX_CHARS = 200_000
"""Characters of all sections of one plugin: far above any budget, far below what would hurt."""
_STRINGS = ("id", "text", "uri", "version", "warning")


def verify_instructions(answer: Any, request: InstructionsRequest) -> None:
    """A sequence of ``Section`` with unique ids, whose ``file:`` uris lie inside the roots.

    Raises ContractError.
    """
    if not isinstance(answer, list | tuple):
        raise ContractError(f"a sequence of Section is needed, not a {type(answer).__name__}")
    for section in answer:
        _verify_section(section, request)
    ids = [section.id for section in answer]
    if len(set(ids)) < len(ids):
        raise ContractError("two sections have the same id")
    if (chars := sum(len(section.text) for section in answer)) > MAX_CHARS:
        raise ContractError(f"{chars:,} characters of instructions; {MAX_CHARS:,} are too many")


def _verify_section(section: Any, request: InstructionsRequest) -> None:
    if type(section) is not Section:
        raise ContractError(f"a section is a {type(section).__name__}, not a Section")
    for name in _STRINGS:
        if type(getattr(section, name)) is not str:
            raise ContractError(f"`{name}` of a section is not a string")
    if not (section.id and section.uri and section.version):
        raise ContractError("a section lacks its id, uri or version")
    if type(section.level) is not int or section.level < 0:
        raise ContractError(f"the level of section {section.id[:80]} is not a whole number from 0")
    if section.uri.startswith("file:") and not _inside(section.uri[5:], request.roots):
        raise ContractError(f"section {section.id[:80]} lies outside the roots")


def _inside(path: str, roots: tuple[str, ...]) -> bool:
    """A relative path may not climb; an absolute one lies below a root."""
    if ".." in PurePath(path).parts:
        return False
    if not PurePath(path).is_absolute():
        return True
    return any(PurePath(path).is_relative_to(Path(root)) for root in roots)
