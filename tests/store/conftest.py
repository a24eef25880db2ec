"""A disk that refuses, at the system call that everything is written with."""

from __future__ import annotations

import os
from contextlib import contextmanager

import pytest


@pytest.fixture
def refusing():
    """``with refusing(errno, after=bytes) as attempts``: after that many bytes, every write fails.

    ``attempts`` grows with the files that were opened for writing meanwhile.
    """

    @contextmanager
    def refusing(code, after=0):
        left, attempts, write = [after], [], os.write

        def fail(handle, data):
            if not left[0]:
                raise OSError(code, os.strerror(code))
            attempts.append(handle)
            taken = write(handle, bytes(data)[: left[0]])
            left[0] -= taken
            return taken

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "write", fail)
            yield attempts

    return refusing
