"""``python -P -m novacore``: the same as the ``novacore`` command.

Without ``-P`` Python looks for ``novacore`` in the working folder first, before any of our code
runs; the ``novacore`` command does not.
"""

from __future__ import annotations

import sys

from novacore.cli import main

if __name__ == "__main__":
    sys.exit(main())
