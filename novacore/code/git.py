"""git for reading, so that nothing of a repository's configuration runs.

Besides the fixed flags, every configured key that names a command (filters, text conversion, gpg,
ssh, aliases, ...) is overridden with nothing, whatever its name is in this repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from novacore.code.git_files import head_of
from novacore.code.processes import run_bounded
from novacore.code.programs import find_program

COMMANDS = frozenset({
    "cat-file", "diff", "for-each-ref", "log", "ls-files", "ls-tree", "merge-base", "rev-list",
    "rev-parse", "show", "show-ref", "status", "symbolic-ref",
})  # fmt: skip
"""What is called: commands that read one repository and reach no other."""

_FLAGS = (
    "--no-optional-locks",
    "--no-pager",
    "--literal-pathspecs",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.pager=cat",
    "-c", "core.quotePath=false",
    "-c", "diff.external=",
    "-c", "protocol.allow=never",
    "-c", "protocol.ext.allow=never",
    "-c", "log.showSignature=false",
    "-c", "submodule.recurse=false",
    "-c", "diff.submodule=short",
    "-c", "safe.bareRepository=explicit",
)  # fmt: skip
_KEPT = frozenset({
    "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
})  # fmt: skip
_RUNS_A_COMMAND = re.compile(
    r"(filter\..*\.(clean|smudge|process)|diff\..*\.(textconv|command)|merge\..*\.driver"
    r"|gpg(\..*)?\.(program|defaultkeycommand)|credential(\..*)?\.helper"
    r"|core\.(sshcommand|editor|askpass|gitproxy|alternaterefscommand)|sequence\.editor"
    r"|remote\..*\.(uploadpack|receivepack|vcs|proxy)|trailer\..*\.(command|cmd)"
    r"|interactive\.difffilter|uploadpack\.packobjectshook)\Z",
    re.IGNORECASE | re.DOTALL,
)
_EXTRA = {
    "diff": ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    "log": ("--no-ext-diff", "--no-textconv", "--no-show-signature"),
    "show": ("--no-ext-diff", "--no-textconv", "--no-show-signature"),
    "status": ("--ignore-submodules=all",),
}
_MAX_OUTPUT = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GitResult:
    """How a command ended. ``ok`` is False without git, after the time limit, or on a failure."""

    ok: bool
    exit_code: int | None
    out: bytes
    """At most 4 MB."""
    error: str = ""


def run_git(
    args: Sequence[str], cwd: Path, timeout: float = 10, *, roots: Sequence[Path] = ()
) -> GitResult:
    """Run ``git ARGS`` in ``cwd`` for at most ``timeout`` seconds.

    Raises ValueError for a command that is not in ``COMMANDS``. No git below ``roots``, ``cwd`` or
    the repository that holds ``cwd`` is used.
    """
    if not args or args[0] not in COMMANDS:
        raise ValueError(f"git {' '.join(args[:1])} is not one of the reading commands")
    program = find_program("git", (*roots, cwd, *_repositories(cwd)))
    if program is None:
        return GitResult(ok=False, exit_code=None, out=b"", error="git is not installed")
    listed = _run([str(program), *_FLAGS, "config", "--list", "-z", "--name-only"], cwd, timeout)
    environment = _environment(_commands_in(listed.out))
    extra = _EXTRA.get(args[0], ())
    return _run([str(program), *_FLAGS, args[0], *extra, *args[1:]], cwd, timeout, environment)


def head(cwd: Path, *, roots: Sequence[Path] = ()) -> str:
    """The commit that is checked out, 40 or 64 hex digits; empty without one."""
    for top in _repositories(cwd):
        if (found := head_of(top)) is not None:
            return found
    return _line(run_git(["rev-parse", "--verify", "--quiet", "HEAD"], cwd, roots=roots))


def dirty(cwd: Path, *, roots: Sequence[Path] = ()) -> tuple[str, ...]:
    """Tracked files that differ from the checked-out commit, by path from the top of the tree.

    Filters are off: a file of git-lfs or the like may be listed although it is unchanged.
    """
    args = ["status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames"]
    result = run_git(args, cwd, roots=roots)
    entries = result.out.split(b"\0") if result.ok else []
    return tuple(os.fsdecode(entry[3:]) for entry in entries if len(entry) > 3)


def common_dir(cwd: Path, *, roots: Sequence[Path] = ()) -> Path | None:
    """The repository's folder, the same in all its worktrees; None outside of a repository."""
    args = ["rev-parse", "--path-format=absolute", "--git-common-dir"]
    line = _line(run_git(args, cwd, roots=roots))
    return Path(os.path.realpath(line)) if line else None


def _line(result: GitResult) -> str:
    return os.fsdecode(result.out).removesuffix("\n") if result.ok else ""


def _repositories(cwd: Path) -> Iterator[Path]:
    """The nearest folder above that looks like the top of a working tree."""
    real = Path(os.path.realpath(cwd))
    for folder in (real, *real.parents):
        if os.path.lexists(folder / ".git"):
            yield folder
            return


def _commands_in(listed: bytes) -> list[str]:
    keys = (os.fsdecode(key) for key in listed.split(b"\0"))
    return sorted({key for key in keys if _RUNS_A_COMMAND.match(key)})


def _environment(overridden: Sequence[str] = ()) -> Mapping[str, str]:
    """The caller's environment without what would steer git, and ``overridden`` keys emptied."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in _KEPT}
    for name in ("SSH_ASKPASS", "PAGER", "LESS", "LV"):
        kept.pop(name, None)
    # Subsections may hold "=", which -c could not tell from the value: so by variables.
    for number, key in enumerate(overridden):
        kept[f"GIT_CONFIG_KEY_{number}"] = key
        kept[f"GIT_CONFIG_VALUE_{number}"] = ""
    return {
        **kept,
        "GIT_CONFIG_COUNT": str(len(overridden)),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_SSH_COMMAND": "false",
        "LC_ALL": "C.UTF-8",
    }


def _run(
    command: Sequence[str], cwd: Path, timeout: float, environment: Mapping[str, str] | None = None
) -> GitResult:
    env = environment or _environment()
    ended = run_bounded(command, cwd, env, seconds=timeout, max_bytes=_MAX_OUTPUT)
    ok = ended.exit_code == 0
    return GitResult(ok=ok, exit_code=ended.exit_code, out=ended.out, error=ended.error)
