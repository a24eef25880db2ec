"""From words to an exit code: run the command, and make one line of whatever went wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from typing import Any

from novacore.cli import output
from novacore.cli.interrupt import INTERRUPT
from novacore.errors import NovaCoreError

INTERRUPTED = 130
_OUTPUT = {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT}
"""What writing to a stream fails with; files that are opened here fail with their names."""


def run(words: Sequence[str]) -> int:
    """Run a command. Errors become one line on stderr; ``--debug`` adds the traceback."""
    debug, words = _take_debug(list(words))
    output.prepare_streams()
    _listen(debug=debug)
    with INTERRUPT:
        try:
            code = _invoke(words)
            output.release()
            sys.stdout.flush()
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Exception as error:
            code = _report(error, words, debug=debug)
        output.end_stdout()
    return code


def _invoke(words: Sequence[str]) -> int:
    from typer.main import get_command

    from novacore.cli.app import app

    command = get_command(app)
    returned = command.main(args=list(words), prog_name="novacore", standalone_mode=False)
    return returned if isinstance(returned, int) else 0


def _take_debug(words: list[str]) -> tuple[bool, list[str]]:
    """``--debug`` may stand anywhere before ``--``."""
    end = words.index("--") if "--" in words else len(words)
    options = [word for word in words[:end] if word != "--debug"]
    return len(options) < end, options + words[end:]


def _listen(*, debug: bool) -> None:
    import logging

    # Without a handler of its own Python would print tracebacks of the log on stderr.
    log = logging.getLogger("novacore")
    log.handlers[:] = [logging.StreamHandler() if debug else logging.NullHandler()]


def _report(error: Exception, words: Sequence[str], *, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):  # Whoever read the output has what they wanted.
        return 1
    code, message = _explain(error)
    asked = words[: list(words).index("--")] if "--" in words else words
    if "--json" in asked and asked[0] != "ask":  # ask ends its own stream, by a result
        with contextlib.suppress(OSError):  # The line on stderr says it too.
            output.print_json("error", {"code": type(error).__name__, "message": message})
    output.complain(message)
    return code


def _explain(error: Any) -> tuple[int, str]:
    if isinstance(error, NovaCoreError):
        return error.exit_code, str(error)
    if callable(getattr(error, "format_message", None)):  # typer's own, whichever click it uses
        context = getattr(error, "ctx", None)
        where = context.command_path if context is not None else "novacore"
        return 2, f"{str(error.format_message()).rstrip('.')} (see `{where} --help`)"
    if isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT:
        return 1, f"the output cannot be written: {error.strerror}; free what it goes to"
    if isinstance(error, OSError) and error.filename is not None:
        return 1, f"{os.fspath(error.filename)}: {error.strerror}"
    return 1, f"internal error: {type(error).__name__}: {error} (--debug shows where)"
