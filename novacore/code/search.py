"""Text search: bounded in time and output, the same answer with ripgrep and without."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from novacore.code.literals import required_literal
from novacore.code.ripgrep import files_with
from novacore.code.text import decode, is_binary
from novacore.code.walk import MAX_READ_BYTES, WalkedFile, read_file
from novacore.types import Hit, Hits, Status

if TYPE_CHECKING:
    import regex

MAX_SECONDS = 10.0
MAX_LINE = 240
"""Characters of a line that a hit shows, around the match."""
MAX_COUNTED = 5_000
"""Matches after which counting stops."""
MAX_PATTERN = 2_000

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class _Progress:
    deadline: float
    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    with_hits: int = 0
    searched: int = 0
    stopped: str = ""


def search(
    root: Path,
    pattern: str,
    *,
    files: Iterable[WalkedFile],
    regex: bool = True,
    ignore_case: bool = False,
    context: int = 0,
    limit: int = 100,
    outside: Sequence[Path] = (),
    seconds: float = MAX_SECONDS,
) -> Hits:
    """Lines of ``files`` that match, in the order of the files; one hit a line.

    ``text`` of a hit holds ``context`` lines before (fewer at the start of the file) and after it.
    A ripgrep outside of ``root`` and ``outside`` makes it faster, nothing else. Status
    ``not_found``; ``too_many`` with the first ``limit`` hits; ``failed`` for a pattern that is
    wrong or takes too long.
    """
    compiled = _compile(pattern, regex, ignore_case)
    if isinstance(compiled, str):
        return Hits(status="failed", reason=compiled)
    progress = _Progress(deadline=time.monotonic() + seconds)
    literal = required_literal(pattern) if regex else pattern if pattern.isascii() else ""
    wanted = _worth_a_look(list(files), literal, ignore_case, (root, *outside), progress)
    for file in wanted:
        if progress.total >= MAX_COUNTED or time.monotonic() > progress.deadline:
            progress.stopped = f"stopped after {progress.searched:,} files"
            break
        progress.searched += 1
        data = read_file(file)
        if data is not None and literal and not ignore_case and _lacks(data, literal):
            continue
        if data is None or is_binary(data):
            continue
        try:
            _search_file(file, decode(data).text, compiled, context, limit, progress)
        except TimeoutError:
            return Hits(status="failed", reason=_slow(file.path, seconds))
    return _answer(progress, limit)


def _compile(pattern: str, is_regex: bool, ignore_case: bool) -> regex.Pattern[str] | str:
    import regex

    if not pattern or len(pattern) > MAX_PATTERN:
        return f"a pattern has 1 to {MAX_PATTERN:,} characters"
    flags = regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.compile(pattern if is_regex else regex.escape(pattern), flags)
    except (regex.error, RecursionError, OverflowError) as error:
        return f"not a regular expression: {error}; with regex=false it is searched as plain text"


def _worth_a_look(
    files: list[WalkedFile],
    literal: str,
    ignore_case: bool,
    outside: Sequence[Path],
    progress: _Progress,
) -> list[WalkedFile]:
    """The files that ripgrep does not rule out."""
    found = files_with(literal, files, ignore_case, outside, progress.deadline) if literal else None
    if found is None:
        return files
    progress.searched = len(files) - len(found)
    return [file for file in files if file.real in found]


def _lacks(data: bytes, literal: str) -> bool:
    return not data.startswith(_UTF16) and literal.encode() not in data


def _search_file(
    file: WalkedFile,
    text: str,
    pattern: regex.Pattern[str],
    context: int,
    limit: int,
    progress: _Progress,
) -> None:
    text = text.replace("\r\n", "\n")
    before = progress.total
    for line, start, column in _matching_lines(text, pattern, progress.deadline):
        progress.total += 1
        if len(progress.hits) < limit:
            shown = _excerpt(text, start, column, context)
            progress.hits.append(Hit(path=file.path, line=line, text=shown, column=column + 1))
        if progress.total >= MAX_COUNTED:
            break
    progress.with_hits += progress.total > before


def _matching_lines(
    text: str, pattern: regex.Pattern[str], deadline: float
) -> Iterator[tuple[int, int, int]]:
    """Line (1-based), its offset, and column (0-based) of the first match in each line."""
    line, seen, last = 1, 0, 0
    left = max(0.01, deadline - time.monotonic())
    # concurrent: the interpreter lock is free while it matches, so a slow pattern stops nobody.
    for match in pattern.finditer(text, timeout=left, concurrent=True):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        behind_the_end = seen == len(text) and (not text or text.endswith("\n"))
        if line == last or behind_the_end:
            continue
        last = line
        start = text.rfind("\n", 0, seen) + 1
        yield line, start, seen - start


def _excerpt(text: str, start: int, column: int, context: int) -> str:
    first, end = start, _line_end(text, start)
    own = _clip(text[start:end], column)
    above: list[str] = []
    below: list[str] = []
    for _ in range(context):
        if first:
            first = text.rfind("\n", 0, first - 1) + 1
            above.insert(0, _clip(text[first : _line_end(text, first)], 0))
        if end < len(text) - 1:
            start, end = end + 1, _line_end(text, end + 1)
            below.append(_clip(text[start:end], 0))
    return "\n".join([*above, own, *below])


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _clip(line: str, column: int) -> str:
    if len(line) <= MAX_LINE:
        return line
    begin = max(0, min(column - MAX_LINE // 3, len(line) - MAX_LINE))
    end = begin + MAX_LINE
    return ("…" if begin else "") + line[begin:end] + ("…" if end < len(line) else "")


def _slow(path: str, seconds: float) -> str:
    return f"the pattern takes longer than {seconds:g} s in {path}; use a simpler one"


def _answer(progress: _Progress, limit: int) -> Hits:
    hits, total = tuple(progress.hits), progress.total
    more = "at least " if total >= MAX_COUNTED else ""
    notes = [progress.stopped] if progress.stopped else []
    status: Status = "ok" if hits else "not_found"
    if not hits:
        left_out = f"binaries and files over {MAX_READ_BYTES // 1_000_000} MB are not searched"
        notes.insert(0, f"no match in {progress.searched:,} files; {left_out}")
    elif total > limit or progress.stopped:
        status = "too_many"
        notes.insert(0, f"{more}{total:,} lines match; narrow by path, glob or a longer pattern")
    return Hits(
        status=status, hits=hits, total=total, files=progress.with_hits, reason="; ".join(notes)
    )
