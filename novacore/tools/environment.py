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


def child_environment(
    environ: Mapping[str, str], *, roots: Sequence[Path], trusted: bool
) -> dict[str, str]:
    """Without keys, tokens, passwords, NovaCore's own variables and relative ``PATH`` parts.

    In a workspace that is not trusted, Python does not look for modules beside the script or in
    the current folder (``PYTHONSAFEPATH``), and ``PYTHONPATH`` loses its parts below ``roots``.
    """
    kept = {name: value for name, value in environ.items() if not _DROPPED.search(name)}
    kept["PATH"] = _only(kept.get("PATH", os.defpath), Path.is_absolute)
    if not trusted:
        kept["PYTHONSAFEPATH"] = "1"
        outside = _only(kept.pop("PYTHONPATH", ""), lambda part: not _below(part, roots))
        if outside:
            kept["PYTHONPATH"] = outside
    return kept | _QUIET


def _only(paths: str, keep: Callable[[Path], bool]) -> str:
    return os.pathsep.join(part for part in paths.split(os.pathsep) if part and keep(Path(part)))


def _below(part: Path, roots: Sequence[Path]) -> bool:
    real = Path(os.path.realpath(part))
    return any(real.is_relative_to(root) for root in roots) or not part.is_absolute()
