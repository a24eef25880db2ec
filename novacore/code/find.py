"""Symbols by name over many files, on demand: read, look for the bytes of the name, parse."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from novacore.code import namepath, parse
from novacore.code.languages import table_for
from novacore.code.outline import outline
from novacore.code.text import encoding_of
from novacore.code.walk import WalkedFile, read_file
from novacore.types import Hit, Hits, Status, Symbol

MAX_SECONDS = 8.0
MAX_NEAREST = 10
MIN_SCORE = 65
"""Of 100, from which a name counts as near."""
MAX_HOLDERS = 8
"""Files that are parsed for one near word."""

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,80}")


@dataclass(slots=True)
class _Search:
    files: Sequence[WalkedFile]
    kind: str
    deadline: float
    parsed: int = 0
    late: bool = False
    unparsed: dict[str, None] = field(default_factory=dict)
    """Files that hold the name and are too large to parse."""
    unread: dict[str, None] = field(default_factory=dict)
    words: dict[str, list[WalkedFile]] = field(default_factory=dict)


def find(
    name: str,
    files: Iterable[WalkedFile],
    *,
    kind: str = "",
    limit: int = 50,
    seconds: float = MAX_SECONDS,
) -> Hits:
    """Symbols that ``name`` (a name path or its end) means.

    Whole paths come before ends of paths, then the order of the files. Without any: ``not_found``,
    with the nearest names as hits. ``too_many`` with the first ``limit``, also when time was up.
    """
    name = name.strip()
    last = namepath.last_name(name)
    if not last:
        return Hits(status="failed", reason="name a symbol, e.g. parse_config or Parser/run")
    known = [file for file in files if table_for(file.path)]
    search = _Search(known, kind, time.monotonic() + seconds)
    found = [hit for file in _holding(search, last) for hit in _matches(search, file, name)]
    if found:
        return _answer(search, _ordered(found, name), limit)
    nearest = _nearest(search, last)
    notes = [f"no symbol {name} in {len(known):,} files of known languages", *_left_out(search)]
    if nearest:
        notes.append("these are the nearest names")
    return Hits(status="not_found", hits=nearest, total=0, reason="; ".join(notes))


def _holding(search: _Search, name: str) -> Iterator[tuple[WalkedFile, bytes]]:
    """Files whose bytes hold the name; one of another encoding may, so it is kept."""
    wanted = name.encode("utf-8", "surrogateescape")
    for file in search.files:
        if time.monotonic() > search.deadline:
            search.late = True
            return
        data = read_file(file)
        if data is None:
            search.unread[file.path] = None
            continue
        other = not name.isascii() and encoding_of(data)[0] != "utf-8"
        if wanted in data or other or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            yield file, data


def _matches(search: _Search, held: tuple[WalkedFile, bytes], name: str) -> list[Hit]:
    return _hits(search, held, lambda symbols: namepath.match(name, symbols))


def _hits(
    search: _Search,
    held: tuple[WalkedFile, bytes],
    choose: Callable[[Sequence[Symbol]], Iterable[Symbol]],
) -> list[Hit]:
    file, data = held
    search.parsed += 1
    found = outline(file.path, data)
    if found.status == "too_large":
        search.unparsed[file.path] = None
    return [_hit(file, s) for s in choose(found.symbols) if search.kind in ("", s.kind)]


def _hit(file: WalkedFile, symbol: Symbol) -> Hit:
    return Hit(
        path=file.path,
        line=symbol.range.start_line,
        end_line=symbol.range.end_line,
        text=symbol.signature,
        name_path=symbol.name_path,
        kind=symbol.kind,
    )


def _ordered(found: list[Hit], name: str) -> list[Hit]:
    """Whole paths first; sorting is stable, so files and lines keep their order."""
    whole = namepath.NamePath(namepath.parse(name).segments, anchored=True)
    return sorted(found, key=lambda hit: not namepath.fits(whole, namepath.parse(hit.name_path)))


def _answer(search: _Search, found: list[Hit], limit: int) -> Hits:
    many = len(found) > limit or search.late
    notes = [f"{len(found):,} symbols; narrow by path, kind or a parent's name"] if many else []
    status: Status = "too_many" if many else "ok"
    return Hits(
        status=status,
        hits=tuple(found[:limit]),
        total=len(found),
        files=len({hit.path for hit in found}),
        reason="; ".join([*notes, *_left_out(search)]),
    )


def _left_out(search: _Search) -> list[str]:
    """Where the name may stand without being found."""
    notes = ["stopped for time before all files were seen"] if search.late else []
    if search.unparsed:
        held = f"{_some(search.unparsed)}: too large to parse"
        notes.insert(0, f"the word stands in {held}, search for it")
    if search.unread:
        notes.insert(0, f"not readable: {_some(search.unread)}")
    return notes


def _some(paths: Iterable[str]) -> str:
    first, *others = paths
    return f"{first} and {len(others):,} more" if others else first


def _nearest(search: _Search, name: str) -> tuple[Hit, ...]:
    """Symbols of similar names, best first: words of all files are compared, few files parsed."""
    from rapidfuzz import fuzz, process, utils

    _collect_words(search)
    best = process.extract(
        name,
        list(search.words),
        scorer=fuzz.ratio,
        processor=utils.default_process,
        limit=40,
        score_cutoff=MIN_SCORE,
    )
    hits: dict[Hit, None] = dict.fromkeys(_named(search, _holding(search, name), name))
    for word, _, _ in best:
        if len(hits) >= MAX_NEAREST:
            break
        hits |= dict.fromkeys(_named(search, _read_all(search, search.words[word]), word))
    return tuple(hits)[:MAX_NEAREST]


def _named(search: _Search, held: Iterable[tuple[WalkedFile, bytes]], word: str) -> Iterator[Hit]:
    for one in held:
        yield from _hits(search, one, lambda symbols: [s for s in symbols if s.name == word])


def _read_all(search: _Search, files: Sequence[WalkedFile]) -> Iterator[tuple[WalkedFile, bytes]]:
    for file in files:
        data = read_file(file)
        if data is not None and time.monotonic() < search.deadline:
            yield file, data


def _collect_words(search: _Search) -> None:
    """Every word with the first files that hold it."""
    for file in search.files:
        if time.monotonic() > search.deadline:
            search.late = True
            return
        if file.size > parse.MAX_BYTES:
            continue  # Its symbols cannot be told.
        for word in set(_WORD.findall(read_file(file) or b"")):
            holders = search.words.setdefault(word.decode("ascii"), [])
            if len(holders) < MAX_HOLDERS:
                holders.append(file)
