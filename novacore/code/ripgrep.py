"""ripgrep, to rule files out: which of these files hold a text."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from novacore.code.processes import run_bounded
from novacore.code.programs import find_program
from novacore.code.walk import WalkedFile

MIN_FILES = 200
"""Fewer files are read faster than a process starts."""

_BATCH_BYTES = 100_000
_MAX_OUTPUT = 8_000_000
# --no-config and the missing RIPGREP_CONFIG_PATH: options of others change no answer.
_FLAGS = (
    "--no-config", "--no-require-git", "--no-messages", "--text", "--files-with-matches",
    "--null", "--fixed-strings", "--color=never",
)  # fmt: skip


def files_with(
    literal: str,
    files: Sequence[WalkedFile],
    ignore_case: bool,
    outside: Sequence[Path],
    deadline: float,
) -> set[Path] | None:
    """The real paths of the files that hold ``literal``; None: ripgrep cannot say.

    Only a ripgrep outside of the folders ``outside`` is used. ``deadline`` is monotonic seconds.
    """
    program = find_program("rg", outside) if len(files) >= MIN_FILES else None
    if program is None:
        return None
    case = "--ignore-case" if ignore_case else "--case-sensitive"
    found: set[Path] = set()
    for batch in _batches([os.fspath(file.real) for file in files]):
        ended = run_bounded(
            [str(program), *_FLAGS, case, "-e", literal, "--", *batch],
            Path(batch[0]).parent,
            {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"},
            seconds=max(0.1, deadline - time.monotonic()),
            max_bytes=_MAX_OUTPUT,
        )
        if ended.exit_code not in (0, 1):
            return None
        found.update(Path(os.fsdecode(name)) for name in ended.out.split(b"\0") if name)
    return found


def _batches(paths: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path in paths:
        if size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += len(path) * 4
    if batch:
        yield batch
