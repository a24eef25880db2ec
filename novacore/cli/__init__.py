"""The command line: parse, call the service, show. No decisions."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``novacore`` with ``arguments`` (default: the process's) and give its exit code.

    0 ok, 1 failed, 2 usage, 3 stopped (limit, denied), 130 interrupted.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words in (["--version"], ["-V"]):
        # Before anything is imported: editors ask for it at every start.
        from novacore import __version__

        return _say(f"novacore {__version__}")
    try:
        from novacore.cli.search_path import leave_out_the_working_folder

        leave_out_the_working_folder()
        from novacore.cli.entry import run

        return run(words)
    except KeyboardInterrupt:
        return 130


def _say(line: str) -> int:
    try:
        print(line, flush=True)
    except OSError:
        from novacore.cli.output import end_stdout

        end_stdout()
        return 1
    return 0
