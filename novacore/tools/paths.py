"""The one path policy of every front end and every tool that takes a path."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from novacore.config.folders import cache_dir, config_dir, expanded, state_dir
from novacore.errors import Denied
from novacore.tools.handles import read_regular, write_regular
from novacore.tools.path_forms import broken, foreign, found_by_look
from novacore.tools.path_rules import DENIED, PROTECTED, PathRules

OWN_RESULTS = "own tool results"
"""The rule under which a session reads what left its window."""

_APPROVED: ContextVar[frozenset[str]] = ContextVar("approved", default=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a path comes to.

    ``relative`` is posix and relative to the root that holds it (the first root's files are named
    as the model names them); outside every root it is the whole real path. ``reason`` says which
    rule, and what to do; empty when nothing stands in the way.
    """

    real: Path
    relative: str
    verdict: Literal["allow", "ask", "deny"]
    rule: str = ""
    protected: bool = False
    reason: str = ""


class PathPolicy:
    """Judges paths by where they really lead at the moment of asking.

    ``roots`` may be given through links; ``deny`` are the user's gitignore patterns beside the
    defaults; ``artifacts_dir`` is this session's own, the only part of the state folder that may be
    read; ``grants`` are files or folders outside the roots that the user opened; ``ignore`` are
    gitignore patterns of what walks leave out, though it may be opened by name; ``protected`` are
    more of what always asks before it is written.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        deny: Sequence[str] = (),
        artifacts_dir: Path | None = None,
        grants: Sequence[Path] = (),
        ignore: Sequence[str] = (),
        protected: Sequence[str] = (),
    ) -> None:
        if not roots:
            raise ValueError("a path policy needs a root")
        self.roots = tuple(_real(root) for root in roots)
        self._grants = tuple(_real(grant) for grant in grants)
        self._artifacts = _real(artifacts_dir) if artifacts_dir else None
        self._own = tuple(_real(folder()) for folder in (state_dir, config_dir, cache_dir))
        self._denied = PathRules(DENIED, deny)
        self._protected = PathRules(PROTECTED, protected)
        self._ignored = PathRules(ignore) if ignore else None

    def resolve(self, path: str, *, write: bool) -> Access:
        """Judge ``path`` (relative to the first root, absolute, or ``~/...``). Never raises."""
        if problem := broken(path):
            return _denied(self.roots[0], "", "path form", f"{problem}. Use a shorter, plain path.")
        given = expanded(path) if path.startswith("~/") else Path(path)
        joined = found_by_look(self.roots[0] / given)
        try:
            if (odd := foreign(path)) and (os.name == "nt" or not os.path.lexists(joined)):
                return _denied(joined, path, "path form", f"the path holds {odd}. Name it plainly.")
            return self._judge(_real(joined), write=write)
        except (OSError, ValueError, RuntimeError) as error:
            return _denied(joined, path, "path form", f"the path leads nowhere: {error}.")

    def allowed(self, real: Path) -> bool:
        """Whether a walk may open ``real``, which the walk reached without following a link."""
        name = self._ruled(real)
        if self._anchor(real) is None or self._mine(real) or self._denied.match(name):
            return False
        return self._ignored is None or not self._leaves_out(self._ignored, real, name)

    def read_bytes(self, access: Access) -> bytes:
        """The file's bytes. Raises ``Denied`` unless the verdict is allow, or if it was swapped."""
        return read_regular(self._opening(access), access.real)

    def write_bytes(self, access: Access, data: bytes) -> None:
        """Replace the file in one step, keeping its mode; its folders are made. Raises the same."""
        write_regular(self._opening(access), access.real, data)

    @contextlib.contextmanager
    def approved(self, paths: Iterable[str]) -> Iterator[None]:
        """Inside, ``paths`` that a person approved are allowed: these real paths and no others.

        Holds for the current task and the threads it starts. Deny rules stand.
        """
        real = (str(self.roots[0] / path) for path in paths)
        token = _APPROVED.set(_APPROVED.get() | frozenset(real))
        try:
            yield
        finally:
            _APPROVED.reset(token)

    def _judge(self, real: Path, *, write: bool) -> Access:
        name = self._named(real)
        if self._artifacts and real.parent == self._artifacts and not write:
            return Access(real=real, relative=name, verdict="allow", rule=OWN_RESULTS)
        if self._mine(real):
            return _denied(real, name, "NovaCore's own folder", _OWN)
        if pattern := self._denied.match(self._ruled(real)):
            return _denied(real, name, f"deny rule {pattern}", _DENY.format(name, pattern))
        guarded = self._protected.match(self._ruled(real)) if write else ""
        if self._anchor(real) is None:
            rule, reason = OUTSIDE, _OUTSIDE.format(real)
        elif guarded:
            rule, reason = f"protected path {guarded}", _PROTECTED.format(name)
        else:
            return Access(real=real, relative=name, verdict="allow")
        return Access(
            real=real,
            relative=name,
            verdict="allow" if (approved := str(real) in _APPROVED.get()) else "ask",
            rule=rule,
            protected=bool(guarded),
            reason="" if approved else reason,
        )

    def _leaves_out(self, ignored: PathRules, real: Path, name: str) -> bool:
        # A pattern that ends in a slash means a folder, and only a look can tell one.
        return bool(ignored.match(name) or (ignored.match(f"{name}/") and real.is_dir()))

    def _mine(self, real: Path) -> bool:
        return any(real.is_relative_to(folder) for folder in self._own)

    def _anchor(self, real: Path) -> Path | None:
        for root in (*self.roots, *self._grants):
            if real.is_relative_to(root):
                return root
        return None

    def _named(self, real: Path) -> str:
        """Relative to the first root, else to no root: a name that reads back as the same file."""
        if real.is_relative_to(self.roots[0]):
            return real.relative_to(self.roots[0]).as_posix()
        return real.as_posix()

    def _ruled(self, real: Path) -> str:
        """As rules see it: relative to its root; a grant does not shorten what they see."""
        anchor = next((root for root in self.roots if real.is_relative_to(root)), real.anchor)
        return real.relative_to(anchor).as_posix()

    def _opening(self, access: Access) -> Path:
        if access.verdict != "allow":
            raise Denied(access.reason)
        anchor = self._anchor(access.real)
        return anchor if anchor and anchor != access.real else Path(access.real.anchor)


OUTSIDE = "outside the workspace"
"""The ``rule`` of a path below no root and no grant."""
_OWN = (
    "This lies in NovaCore's own folders, which no tool opens. "
    "Read a result of this session as artifact:<id>, and past sessions with the history tool."
)
_DENY = (
    "{0} is denied by the rule {1}, for every tool. Work without its content; "
    "ask the user for what you need to know of it."
)
_OUTSIDE = "{0} lies outside the workspace, so the user has to approve it. Use a path inside of it."
_PROTECTED = "{0} instructs agents or runs by itself, so the user has to approve each change of it."


def _denied(real: Path, name: str, rule: str, reason: str) -> Access:
    return Access(real=real, relative=name, verdict="deny", rule=rule, reason=reason)


def _real(path: Path) -> Path:
    """Where ``path`` leads: links resolved, dangling ones too; missing parts stay as named."""
    real = Path(os.path.realpath(path))
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        # A loop of links is the one thing that realpath passes over in silence.
        real.stat()
    return real
