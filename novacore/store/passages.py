"""What of a log or a memory file can be found again: passages of a few paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from novacore.store.memory import Memory
from novacore.types import Event

PASSAGE_CHARS = 1_500
MAX_PASSAGES = 20
"""Passages of one event or file; the rest of a longer one is not searched."""
MAX_RESULT_CHARS = 2_000
"""A longer raw tool result is not searched: the file it came from is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of text with where it comes from."""

    key: str
    uri: str
    kind: str
    time: str
    text: str
    version: str = ""


def of_event(event: Event, session: str) -> Iterator[Passage]:
    """Passages of an event: what was said, summaries of a boundary, short results."""
    uri = f"event:{session}/{event.id}"
    kind, text = _text(event)
    for number, piece in enumerate(_pieces(text)):
        yield Passage(key=f"{uri}#{number}", uri=uri, kind=kind, time=event.ts, text=piece)


def of_memory(memory: Memory) -> Iterator[Passage]:
    """Passages of a memory that holds; each begins with its description."""
    if memory.superseded_by:
        return
    for number, piece in enumerate(_pieces(memory.text) or [""]):
        yield Passage(
            key=f"{memory.uri}#{number}",
            uri=memory.uri,
            kind="memory",
            time=memory.updated or memory.created,
            text=f"{memory.name}: {memory.description}\n{piece}".strip(),
            version=memory.version,
        )


def _text(event: Event) -> tuple[str, str]:
    data = event.data
    if event.kind == "user":
        return "user", _string(data.get("text"))
    if event.kind == "assistant":
        blocks = data.get("blocks")
        rows = [b for b in blocks if isinstance(b, dict)] if isinstance(blocks, list) else []
        said = [_string(row.get("text")) for row in rows if row.get("type") == "text"]
        return "assistant", "\n".join(said)
    if event.kind == "compaction":
        return "narrative", _narrative(data.get("boundary"))
    if event.kind == "tool_result":
        text = _string(data.get("text"))
        return "tool", text if len(text) <= MAX_RESULT_CHARS else ""
    return event.kind, ""


def _narrative(boundary: object) -> str:
    if not isinstance(boundary, dict):
        return ""
    state = boundary.get("state")
    texts = [_string(state.get("narrative"))] if isinstance(state, dict) else []
    passages = boundary.get("passages")
    if isinstance(passages, list):
        texts += [_string(row.get("text")) for row in passages if isinstance(row, dict)]
    return "\n".join(text for text in (_string(boundary.get("narrative")), *texts) if text)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    while text and len(pieces) < MAX_PASSAGES:
        if len(text) <= PASSAGE_CHARS:
            end = len(text)
        else:
            breaks = (text.rfind(mark, 1, PASSAGE_CHARS) for mark in ("\n\n", "\n", " "))
            end = next((at for at in breaks if at > PASSAGE_CHARS // 3), PASSAGE_CHARS)
        pieces.append(text[:end].strip())
        text = text[end:].lstrip()
    return [piece for piece in pieces if piece]
