"""A short command with bounds of time and output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """``exit_code`` is None when the command did not start, or was stopped for time or size."""

    exit_code: int | None
    out: bytes = b""
    error: str = ""


def run_bounded(
    command: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    seconds: float,
    max_bytes: int,
) -> Ended:
    """Run ``command`` without input; what takes longer or says more is killed with its children."""
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return Ended(exit_code=None, error=str(error))
        out, stopped = _collect(process, seconds, max_bytes)
        errors.seek(0)
        said = stopped or errors.read(2_000).decode("utf-8", "replace").strip()
        return Ended(exit_code=None if stopped else process.returncode, out=out, error=said)


def _collect(process: subprocess.Popen[bytes], seconds: float, most: int) -> tuple[bytes, str]:
    """The output, and why the command was stopped if it was."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        with process:
            out = process.stdout.read(most + 1) if process.stdout else b""
            if len(out) > most:
                _kill(process)
    finally:
        timer.cancel()
    if late.is_set():
        return out[:most], f"no answer within {seconds:g} s"
    return out[:most], f"more than {most:,} bytes of output" if len(out) > most else ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
