"""Code reads for people and plugins: the same policy, the same answers as the agent's tools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from novacore.code.find import find
from novacore.code.ignores import ignored
from novacore.code.outline import outline
from novacore.code.reads import Target, parse_spec, read
from novacore.code.text import version_of
from novacore.code.walk import walk
from novacore.errors import Denied
from novacore.tools.files import printable
from novacore.tools.paths import OUTSIDE, Access, PathPolicy
from novacore.types import Hits, Outline, ReadResult

MAX_TOKENS = 8_000


class CodeReads:
    """Reads below the roots of one policy; relative paths start at ``cwd``."""

    def __init__(self, policy: PathPolicy, *, root: Path, cwd: Path) -> None:
        self._policy = policy
        self._root = root
        self._cwd = cwd

    def spec(
        self, spec: str, *, outline_only: bool = False, max_tokens: int = MAX_TOKENS
    ) -> ReadResult:
        """Read ``PATH[::NAMEPATH | :L1-L2 | @B1-B2]``. Raises UsageError for a malformed range."""
        path, target = parse_spec(spec)
        if outline_only:
            target = replace(target, outline=True)
        return self._read(path, target, max_tokens)

    def read(
        self, path: str, *, symbol: str = "", start_line: int = 0, end_line: int = 0
    ) -> ReadResult:
        """A symbol, a line range, or a whole small file."""
        target = Target(symbol=symbol, start_line=start_line, end_line=end_line)
        return self._read(path, target, MAX_TOKENS)

    def outline(self, path: str) -> Outline:
        """The symbols of a file."""
        data, refusal = self._bytes(path)
        if data is None:
            return Outline(path=path, status=refusal.status, reason=refusal.reason)
        return replace(outline(refusal.path, data), ignored=self._ignored(refusal.path))

    def find(self, name: str, *, limit: int = 50) -> Hits:
        """Symbols by name below the first root."""
        files = walk(self._root, allowed=self._policy.allowed)
        return find(name, files, limit=limit)

    def version(self, path: str) -> str | None:
        """The content hash of a file as it is now; None when it cannot be read."""
        data, _ = self._bytes(path)
        return None if data is None else version_of(data)

    def _read(self, path: str, target: Target, max_tokens: int) -> ReadResult:
        data, refusal = self._bytes(path)
        if data is None:
            return refusal
        found = read(refusal.path, data, target, max_tokens=max_tokens)
        return replace(found, text=printable(found.text), ignored=self._ignored(found.path))

    def _ignored(self, shown: str) -> bool:
        return ignored(self._root, self._root / shown)

    def _bytes(self, path: str) -> tuple[bytes | None, ReadResult]:
        """The file's bytes, or why not; the result carries the path as it is shown."""
        # A person's path starts where they stand; tools count from the root.
        full = path if path.startswith(("/", "~/")) else f"{self._cwd}/{path}"
        access = self._policy.resolve(full, write=False)
        shown = access.relative or path
        if access.verdict != "allow":
            return None, ReadResult(status="denied", path=shown, reason=self._why(access))
        try:
            return self._policy.read_bytes(access), ReadResult(status="ok", path=shown)
        except FileNotFoundError:
            return None, ReadResult(status="not_found", path=shown, reason=f"no file {shown}")
        except IsADirectoryError:
            reason = f"{shown} is a folder: name a file in it"
        except OSError as error:
            reason = f"{shown} cannot be read: {error.strerror or error}"
        except Denied as error:
            reason = str(error)
        return None, ReadResult(status="unreadable", path=shown, reason=reason)

    def _why(self, access: Access) -> str:
        """Why a path may not be read, for a person; the policy's own words are for a model."""
        if access.rule == OUTSIDE:
            return f"{access.real} lies outside {self._root}; start in the folder that holds it"
        if access.rule.startswith("deny rule"):
            return f"{access.relative} is closed to every tool ({access.rule}); open it yourself"
        return access.reason
