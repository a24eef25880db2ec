"""What is printed: the JSON envelope, lines for people, and nothing that drives a terminal."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence, Set
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

# Controls, and marks that reorder text or take no room: no file may draw over a prompt.
_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_CONTROL = re.compile(f"[{_CONTROLS}]")
# Scripts and emoji need these; in what somebody is about to approve they only hide something.
_BLANK = re.compile(
    f"[{_CONTROLS}\n\t\u034f\u115f\u1160\u17b4\u17b5\u200c\u200d\u3164\ufe00-\ufe0f\uffa0]"
)
_PIPED_WIDTH = 110
_NARROWEST = 20
_LONGEST_LINE = 2_000
_held: list[str] = []


def prepare_streams() -> None:
    """UTF-8 whatever the locale says; what cannot be encoded is replaced, never raised.

    A stream that was closed (``>&-``) leads nowhere: the work goes on, and no file that is opened
    later takes its number and gets what was meant for a person.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            _open_nowhere(number, name)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _open_nowhere(number: int, name: str) -> None:
    handle = os.open(os.devnull, os.O_RDWR)
    if handle != number:
        os.dup2(handle, number)
        os.close(handle)
    setattr(sys, name, open(number, "r" if name == "stdin" else "w", closefd=False))  # noqa: SIM115


def end_stdout() -> None:
    """Write what is left; what nobody takes is dropped before Python complains of it at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console(*, stderr: bool = False) -> Console:
    """A console without colours when piped or under NO_COLOR, and without guessing at markup."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPED_WIDTH
    made = Console(file=stream, highlight=False, markup=False, emoji=False, width=width)
    if made.width < _NARROWEST:  # COLUMNS=0 would print nothing at all, the questions neither.
        made.width = _NARROWEST
    return made


def plain(value: Any) -> Any:
    """``value`` as JSON: dataclasses as objects, tuples as lists, lone surrogates replaced."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return well_formed(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence | Set):
        return [plain(entry) for entry in value]
    return plain(str(value)) if isinstance(value, PurePath) else repr(value)


def well_formed(text: str) -> str:
    """``text`` as it can be printed; bytes of names that are no UTF-8 become U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")


def hold(warnings: Sequence[str]) -> None:
    """Keep what is to be known beside the answer; it goes where the answer goes."""
    _held.extend(line for line in warnings if line not in _held)


def release() -> None:
    """Tell what is held and was not told in an envelope."""
    warn(_held)
    _held.clear()


def print_json(kind: str, data: Any, warnings: Sequence[str] = ()) -> None:
    """The envelope of every command: ``{v: 1, kind, data, warnings}`` on one line."""
    print_line({"v": 1, "kind": kind, "data": data, "warnings": [*_held, *warnings]})
    _held.clear()


def print_line(value: Mapping[str, Any]) -> None:
    """One JSON object on one line, at once."""
    print(json.dumps(plain(value), ensure_ascii=False), flush=True)


def say(text: str = "") -> None:
    """A line for a person, on stdout."""
    print(well_formed(for_terminal(text) if sys.stdout.isatty() else text))


def complain(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    with contextlib.suppress(OSError):  # Without a reader the exit code has to say it.
        print(f"novacore: {clip(message, _LONGEST_LINE)}", file=sys.stderr, flush=True)


def warn(lines: Sequence[str]) -> None:
    """Things to know that are no failure, one line each on stderr."""
    for line in lines:
        print(f"note: {clip(line, _LONGEST_LINE)}", file=sys.stderr, flush=True)


def for_terminal(text: str) -> str:
    """``text`` with its control characters made visible; line ends and tabs stay."""
    return _CONTROL.sub(_visible, text.replace("\r\n", "\n"))


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code in (9, 10):
        return "\\t" if code == 9 else "\\n"
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def exact(text: str) -> str:
    """One line in which nothing of ``text`` is hidden, for what a person is about to approve."""
    return _BLANK.sub(_visible, text)


def one_line(text: str) -> str:
    """``text`` without line ends, tabs and control characters."""
    return for_terminal(" ".join(text.split("\n")).replace("\t", " ")).strip()


def clip(text: str, chars: int) -> str:
    """At most ``chars`` characters of one line."""
    line = one_line(text[: chars * 4])
    return line if len(line) <= chars else line[: chars - 1] + "…"


def count(number: float) -> str:
    """A number as people read it: 950, 1,234, 12.3k, 1.2M."""
    if number < 10_000:
        return f"{number:,.0f}"
    short = f"{number / 1000:.1f}k" if number < 999_950 else f"{number / 1_000_000:.1f}M"
    return short.replace(".0", "")


def plural(number: int, word: str) -> str:
    """``1 line``, ``2 lines``, ``2 matches``."""
    many = f"{word}es" if word.endswith(("s", "h")) else f"{word}s"
    return f"{number:,} {word if number == 1 else many}"
