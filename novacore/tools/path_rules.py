"""Which names are denied, and which always ask before they are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

DENIED = (
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    ".envrc",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".ssh",
    ".gnupg",
    ".git",
    ".netrc",
    "_netrc",
    ".pypirc",
    ".npmrc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    "**/.aws/credentials",
    "**/.docker/config.json",
    "**/.kube/config",
)
"""Gitignore patterns of what no tool may read or write; the user may add to them."""

PROTECTED = (
    "AGENTS.md",
    "AGENTS.override.md",
    "AGENTS.local.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "SKILL.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    ".github/workflows",
    ".novacore",
    ".claude",
    ".cursor",
    ".agents",
    ".vscode",
    ".idea",
    ".husky",
    ".mcp.json",
)
"""Gitignore patterns of what instructs an agent or runs by itself: writing always asks."""

_IGNORED_BY_HFS = dict.fromkeys(
    (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF)
)
"""Code points that a macOS file system skips in names. Source: git's fix of CVE-2014-9390."""


def folded(path: str) -> str:
    """``path`` as the most forgiving file system would compare it."""
    plain = unicodedata.normalize("NFC", path).translate(_IGNORED_BY_HFS).casefold()
    # A pattern's `**` matches any character but a line end, which a hostile name may hold.
    plain = plain.replace("\n", "\r")
    return "/".join(name.rstrip(". ") or name for name in plain.split("/"))


class PathRules:
    """Gitignore patterns, compared without regard to case. Several sets never weaken each other."""

    def __init__(self, *sets: Sequence[str]) -> None:
        from pathspec import GitIgnoreSpec

        self._sets: list[tuple[tuple[str, ...], GitIgnoreSpec]] = [
            (tuple(patterns), GitIgnoreSpec.from_lines(p.casefold() for p in patterns))
            for patterns in sets
        ]

    def match(self, path: str) -> str:
        """The pattern that catches ``path`` (posix, no leading ``/``), or nothing."""
        name = folded(path)
        for patterns, spec in self._sets:
            found = spec.check_file(name)
            if found.include and found.index is not None:
                return patterns[found.index]
        return ""
