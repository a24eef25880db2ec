"""What stands in a message for a text that left it: how much is missing, where, an excerpt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from novacore.engine.frames import frame
from novacore.logs import Analysis, Excerpt, analyse, excerpt_of, shown
from novacore.store.artifacts import Artifact
from novacore.tokens import estimate
from novacore.types import LineRange

KIND = "persisted-output"
MAX_CHARS = 5_000
MAX_TOKENS = 900
"""Of a whole stub: ten stubs of 900 tokens are the floor of a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StubOf:
    """A text, where it went, and what to show of it. ``ranges`` None: the host's own choice."""

    text: str
    artifact: Artifact
    fragment: str
    """The id that its frame's mark is made of."""
    what: str = "this output"
    exit_code: int | None = None
    offered: Collection[str] = field(default_factory=frozenset)
    """Tools that the model has; no other is named."""
    ranges: tuple[LineRange, ...] | None = None
    note: str = ""


def stub(
    of: StubOf, *, key: bytes, excerpt_chars: int = 2_000, max_tokens: int = MAX_TOKENS
) -> str:
    """The replacement: at most ``max_tokens`` estimated tokens and 5,000 characters.

    The excerpt, its note included, has at most ``excerpt_chars``, less where tokens are short.
    """
    analysis = analyse(of.text)
    head = _head(of)
    room = excerpt_chars
    while True:
        body = "\n".join(part for part in (head, _excerpt(of, analysis, room)) if part)
        whole = frame(body, kind=KIND, fragment=of.fragment, key=key)
        tokens = estimate(whole)
        if (tokens <= max_tokens and len(whole) <= MAX_CHARS) or room < 100:
            return whole
        room = min(room * 9 // 10, room * max_tokens // tokens)


def spill_data(artifact: Artifact, *, tokens: int, plugin: str = "") -> dict[str, Any]:
    """The data of a ``spill`` event, but for the id of what left."""
    return {
        "artifact": artifact.id,
        "chars": artifact.chars,
        "lines": artifact.lines,
        "tokens": tokens,
        "sha256": artifact.sha256,
        "stored": artifact.stored,
        "reason": artifact.reason,
        "plugin": plugin,
    }


def line_stub(of: StubOf) -> str:
    """The shortest replacement: one line without an excerpt."""
    parts = [f"NOT delivered, not shown: {_size(of.artifact)}", *_exit(of), _short_place(of)]
    return f"<{KIND}>{'; '.join(parts)}</{KIND}>"


def _head(of: StubOf) -> str:
    first = f"NOT delivered: {of.what} is too large and is not shown, only an excerpt of it."
    return "\n".join([f"{first} {_size(of.artifact)}.", _place(of), *_exit(of)])


def _size(artifact: Artifact) -> str:
    return f"{artifact.chars} characters, {artifact.lines} lines"


def _exit(of: StubOf) -> list[str]:
    return [] if of.exit_code is None else [f"exit code: {of.exit_code}"]


def _place(of: StubOf) -> str:
    artifact = of.artifact
    if artifact.stored:
        return f"All of it: artifact:{artifact.id} ({artifact.path}). {_how(of)}".rstrip()
    why = (
        "Storing to disk is switched off"
        if artifact.reason == "off"
        else f"It could not be stored, the disk refused ({artifact.reason})"
    )
    if not artifact.kept:
        return f"{why}; there was no memory left for it either: the rest is lost."
    return f"{why}; it is kept in memory for now as artifact:{artifact.id}. {_how(of)}".rstrip()


def _short_place(of: StubOf) -> str:
    artifact = of.artifact
    if artifact.stored:
        return f"artifact:{artifact.id}"
    if not artifact.kept:
        return f"lost, not stored ({artifact.reason})"
    return f"artifact:{artifact.id}, in memory only ({artifact.reason})"


def _how(of: StubOf) -> str:
    name = f"artifact:{of.artifact.id}"
    ways = []
    if "read" in of.offered:
        unit = "line" if of.artifact.lines > 3 else "byte"
        ways.append(f"read (start_{unit}, end_{unit})")
    if "search" in of.offered:
        ways.append("search (pattern)")
    return f'For a part: {" or ".join(ways)} with path="{name}".' if ways else ""


def _excerpt(of: StubOf, analysis: Analysis, room: int) -> str:
    if of.ranges is None:
        chosen = excerpt_of(analysis, room)
    else:
        chosen = Excerpt(ranges=of.ranges, note=_cut(of.note, room * 4 // 5))
    return shown(analysis, chosen, room)


def _cut(note: str, limit: int) -> str:
    line = " ".join(note.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
