"""The recovery attachment: the files that were in use, put into a rebuilt window.

Small files come whole, larger ones as folds (signatures and line ranges), each with its version,
so that work goes on without guessing; originals must still be read again before an edit.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from novacore.code.outline import outline
from novacore.code.text import decode, is_binary, version_of
from novacore.engine.frames import frame
from novacore.tools.paths import PathPolicy
from novacore.types import FileRecord, Outline, State

FILES = 5


def recovery_text(
    state: State,
    policy: PathPolicy,
    *,
    max_tokens: int,
    count: Callable[[str], int],
    mask: Callable[[str], str],
    key: bytes,
    shown: Container[str] = (),
) -> str:
    """The attachment for the last five files that the session read or changed; "" for none.

    Access is checked again: a file that may no longer be read is left out, and so is one that
    stands in the window as it is now, read by an event of ``shown``.
    """
    left = max_tokens - 60
    parts: list[str] = []
    for record in _recent(state):
        if len(parts) == FILES:
            break
        share = left // (FILES - len(parts))
        text = _one(record, policy, share, count, shown)
        if text is None:
            continue
        framed = frame(mask(text), kind="file", fragment=f"recovery:{record.path}", key=key)
        cost = count(framed)
        if cost <= left:
            parts.append(framed)
            left -= cost
    if not parts:
        return ""
    note = (
        "<recovery>\nThe context was rebuilt. These files were in use; this is how they are now. "
        "Read the original again before you edit or quote it."
    )
    return "\n".join([note, *parts, "</recovery>"])


def _recent(state: State) -> Iterator[FileRecord]:
    seen: set[str] = set()
    for record in reversed(state.files):
        if record.path not in seen and record.action != "deleted":
            seen.add(record.path)
            yield record


def _one(
    record: FileRecord,
    policy: PathPolicy,
    share: int,
    count: Callable[[str], int],
    shown: Container[str],
) -> str | None:
    access = policy.resolve(record.path, write=False)
    if access.verdict != "allow" or not access.real.is_file():
        return None
    data = policy.read_bytes(access)
    if is_binary(data):
        return None
    version = version_of(data)
    if record.action == "read" and record.event in shown and record.after == version:
        return None
    whole = decode(data).text
    header = f"{record.path} version {version}"
    if count(whole) <= share:
        return f"{header}, whole:\n{whole}"
    folds = _folds(outline(record.path, data))
    kept = _within(folds, share - count(header) - 8, count)
    used = f" (used: lines {record.start_line}-{record.end_line})" if record.start_line else ""
    return f"{header}{used}, outline:\n" + "\n".join(kept) if kept else None


def _folds(found: Outline) -> list[str]:
    return [
        f"{'  ' * s.depth}{s.signature}  # lines {s.range.start_line}-{s.range.end_line}"
        for s in found.symbols
    ]


def _within(lines: list[str], tokens: int, count: Callable[[str], int]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        tokens -= count(line) + 1
        if tokens < 0:
            kept.append(f"... {len(lines) - len(kept)} more symbols")
            break
        kept.append(line)
    return kept if tokens >= 0 or len(kept) > 1 else []
