"""The environment of a command that the agent runs: the user's, without what it must not have."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_DROPPED = re.compile(
    r"_(API_?)?KEY$|_ACCESS_KEY(_ID)?$|_(TOKEN|SECRET|PAT|PASS|CREDENTIALS?)$|SECRET|PASSWORD|PASSWD"
    r"|^(TOKEN|API_?KEY|PGPASS\w*)$|^(NOVACORE|ANTHROPIC|OPENAI)_"
    # What a shell would run before the command, or in place of a program.
    r"|^(BASH_ENV|PROMPT_COMMAND|BASH_FUNC_.*)$",
    re.IGNORECASE,
)

# Nobody is there to answer a prompt or to leave a pager.
_QUIET = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "PYTHONUNBUFFERED": "1",
    "PYTHONIOENCODING": "utf-8",
}

_NOT_FROM_THE_REPOSITORY = (("core.fsmonitor", "false"), ("core.hooksPath", os.devnull))
"""What every git command runs, however harmless it looks, when a repository's settings say so."""


def child_environment(
    environ: Mapping[str, str], *, roots: Sequence[Path], trusted: bool
) -> dict[str, str]:
    """Without keys, tokens, passwords, NovaCore's own variables and relative ``PATH`` parts.

    In a workspace that is not trusted, Python does not look for modules beside the script or in
    the current folder (``PYTHONSAFEPATH``), ``PYTHONPATH`` loses its parts below ``roots``, and git
    runs neither hooks nor a monitor of the repository.
    """
    kept = {name: value for name, value in environ.items() if not _DROPPED.search(name)}
    kept["PATH"] = _only(kept.get("PATH", os.defpath), Path.is_absolute)
    if not trusted:
        kept["PYTHONSAFEPATH"] = "1"
        outside = _only(kept.pop("PYTHONPATH", ""), lambda part: not _below(part, roots))
        if outside:
            kept["PYTHONPATH"] = outside
        kept |= _git_settings(kept)
    return kept | _QUIET


def _git_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Settings behind those that the user's shell gives git already; they go before any file's."""
    count = environ.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isdecimal() else 0
    settings = {"GIT_CONFIG_COUNT": str(first + len(_NOT_FROM_THE_REPOSITORY))}
    for place, (key, value) in enumerate(_NOT_FROM_THE_REPOSITORY, first):
        settings |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return settings


def _only(paths: str, keep: Callable[[Path], bool]) -> str:
    return os.pathsep.join(part for part in paths.split(os.pathsep) if part and keep(Path(part)))


def _below(part: Path, roots: Sequence[Path]) -> bool:
    real = Path(os.path.realpath(part))
    return any(real.is_relative_to(root) for root in roots) or not part.is_absolute()
