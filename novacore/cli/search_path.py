"""Keep the working folder off the module search path, before anything else is imported.

The host does the same for every root once they are known; what is imported until then must not
come from a folder that somebody cloned.
"""

from __future__ import annotations

import os
import sys


def leave_out_the_working_folder() -> None:
    """Drop ``''`` and what lies in the working folder from ``sys.path``, our own folders aside."""
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109
    except OSError:
        here = ""
    sys.path[:] = [entry for entry in sys.path if entry and not _planted(entry, here)]


def _planted(entry: str, here: str) -> bool:
    real = os.path.realpath(entry)
    if not here or not _within(real, here):
        return False
    # The interpreter that the user started and the checkout that this program runs from may lie
    # here: whoever can write there has changed the program already.
    checkout = os.path.join(os.path.realpath(__file__), "..", "..", "..")  # noqa: PTH118
    ours = [os.path.realpath(own) for own in (checkout, sys.prefix, sys.base_prefix)]
    return not any(_within(real, own) and _within(own, here) for own in ours)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
