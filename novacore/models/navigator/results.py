"""The texts of tool results, read back: lines found, symbols, pieces of files, and refusals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from novacore.models.navigator.transcript import Made, Transcript

_HIT = re.compile(r"  (\d{1,9}): ?(.*)")
_SYMBOL = re.compile(
    r"(?P<path>\S.*?)::(?P<name>.+?) lines (?P<first>\d+)-(?P<last>\d+) \S+ \| (?P<text>.*)"
)
_TOTAL = re.compile(r"\d+ of (\d+) lines in \d+ files?\b")
_HEADER = re.compile(r"(?P<path>.+?) version [0-9a-f]{6,}(?:; |: |\Z)")
_RANGE = re.compile(r"; lines (\d+)-(\d+) of \d+")
_OUTLINE = re.compile(r"\s*(\d+)-(\d+) (.+?) \| (.*)")
_UNCHANGED = re.compile(r"(?P<path>.+?)(?: lines (?P<first>\d+)-(?P<last>\d+))?: unchanged since")
_REPEATED = re.compile(
    r"This is the \w+ time that you ask this|.{1,500}?: unchanged since you read it"
)
_ASKED_BEFORE = re.compile(r"\(You have asked this before[^\n]*\)\n")
_VALUE = re.compile(
    r"(?:export |static |readonly |public |private |final )*"
    r"(?:(?:const|let|var)\b[^(]*\Z|[\w.$]+\??\s*(?::[^(]*?)?(?:=(?!>)|\Z))"
)
_STUB = "<persisted-output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line that a search found. ``number`` is 1-based."""

    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A symbol with its lines, 1-based and inclusive."""

    path: str
    first: int
    last: int
    name_path: str
    signature: str = ""
    exact: bool = True
    """False: only a near name, where the one that was asked for does not exist."""

    @property
    def name(self) -> str:
        """The last part of the name path."""
        return re.split(r"[/.]", self.name_path)[-1].split("[")[0]

    @property
    def is_value(self) -> bool:
        """Whether it is a constant, a variable or a field, as far as its signature shows it."""
        return _VALUE.match(self.signature) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Lines of a file as they were read."""

    path: str
    first: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        """The last line, 1-based."""
        return self.first + len(self.lines) - 1


@dataclass(slots=True, kw_only=True)
class Findings:
    """All that the tools told since the question."""

    lines: dict[tuple[str, int], Line] = field(default_factory=dict)
    uses: list[Line] = field(default_factory=list)
    """Lines that use what was found, from the last stage."""
    found: list[Found] = field(default_factory=list)
    outlines: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    """By pattern of a search over everything: how many lines match."""
    refusals: list[str] = field(default_factory=list)
    """First lines of what could not be done."""


def findings_of(transcript: Transcript) -> Findings:
    """Read all results of the work on the question."""
    past = {made.key: made for made in transcript.earlier if not _REPEATED.match(made.text)}
    findings = Findings()
    for made in transcript.made:
        # A repeated question is answered by a pointer to the answer above it.
        told = past.get(made.key, made) if _REPEATED.match(made.text) else made
        text = _ASKED_BEFORE.sub("", told.text, count=1)
        if told.is_error or _STUB in told.text[:200]:
            _take_refusal(told, text, findings)
        else:
            _take(told, text, findings)
        if told is made and (pointer := _UNCHANGED.match(made.text)):
            findings.pieces += _pointed_to(pointer, (*transcript.earlier, *transcript.made))
    return findings


def _take_refusal(made: Made, text: str, findings: Findings) -> None:
    """That a file has no known symbols is nothing to tell: lines of it can be read."""
    first = text.strip().split("\n")[0]
    if ": unsupported: " in first:
        findings.outlines.setdefault(str(made.input.get("path")), ())
    else:
        findings.refusals.append(first[:200])


def _take(made: Made, text: str, findings: Findings) -> None:
    match made.name:
        case "search":
            _take_search(made, text, findings)
        case "find":
            findings.found += _symbols(text)
        case "glob":
            findings.files += text.split("\n")[1:]
        case "read" if made.input.get("outline"):
            path = str(made.input.get("path"))
            findings.outlines[path] = tuple(_outline(path, text))
        case "read":
            findings.pieces += [piece] if (piece := _piece(text)) else []


def _take_search(made: Made, text: str, findings: Findings) -> None:
    path, count = "", 0
    for line in text.split("\n")[1:]:
        if hit := _HIT.match(line):
            count += 1
            found = Line(path=path, number=int(hit[1]), text=hit[2])
            if made.stage == "follow":
                findings.uses.append(found)
            else:
                findings.lines.setdefault((path, found.number), found)
        else:
            path = line
    if "path" not in made.input:
        said = _TOTAL.match(text)
        findings.totals[str(made.input.get("pattern"))] = int(said[1]) if said else count


def _symbols(text: str) -> Iterator[Found]:
    exact = not text.startswith("no symbol ")
    for line in text.split("\n"):
        if found := _SYMBOL.match(line):
            yield Found(
                path=found["path"],
                first=int(found["first"]),
                last=int(found["last"]),
                name_path=found["name"],
                signature=found["text"],
                exact=exact,
            )


def _outline(path: str, text: str) -> Iterator[Found]:
    for line in text.split("\n")[1:]:
        if found := _OUTLINE.match(line):
            yield Found(
                path=path,
                first=int(found[1]),
                last=int(found[2]),
                name_path=found[3],
                signature=found[4],
            )


def _piece(text: str) -> Piece | None:
    """The lines of a read; None for a refusal, an outline, or a text that was kept elsewhere."""
    head, _, body = text.partition("\n")
    header, place = _HEADER.match(head), _RANGE.search(head)
    if header is None or place is None or "; too_large" in head or _STUB in body:
        return None
    count = int(place[2]) - int(place[1]) + 1
    lines = body.removesuffix("\n").split("\n")[:count]
    return Piece(path=header["path"], first=int(place[1]), lines=tuple(lines))


def _pointed_to(pointer: re.Match[str], calls: Iterable[Made]) -> list[Piece]:
    """The newest text above that holds what a read says is unchanged."""
    if pointer["first"] is None:
        return []
    path, first, last = pointer["path"], int(pointer["first"]), int(pointer["last"])
    pieces = [piece for made in calls if made.name == "read" and (piece := _piece(made.text))]
    return [p for p in pieces if p.path == path and p.first <= first and last <= p.last][-1:]
