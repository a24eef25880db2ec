"""``compact_state``: compaction without a model. Deterministic, and it always answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import override

from novacore.hookspecs import Hooks
from novacore.types import Compaction, CompactRequest, Event, EventRange, LegalCut, Passage

MAX_TURNS = 20
WORDS = 100
"""Characters of a user's message that the digest quotes."""


class CompactState(Hooks):
    """Keeps the longest tail that fits; a digest of what was asked and done stands for the rest.

    Everything that later steps depend on is in the state, which the host folds from events; the
    digest only says what happened in which order.
    """

    def __init__(self, config: object = None, services: object = None) -> None:
        del config, services  # the plugin needs neither; the host passes both to every plugin

    @override
    def compact(self, request: CompactRequest) -> Compaction | None:
        """One passage over the whole span before the cut; None only where nothing can be cut."""
        if not request.legal_cuts:
            return None
        cut = _cut(request)
        events = [item.event for item in request.view]
        span = events[: [event.id for event in events].index(cut.event)]
        covers = EventRange(first=span[0].id, last=span[-1].id)
        digest = _digest(span, chinese=request.language == "zh")
        return Compaction(cut=cut.event, passages=(Passage(text=digest, covers=covers),))


def _cut(request: CompactRequest) -> LegalCut:
    """The longest tail within the target, beside what is not history; else the shortest."""
    beside = request.used - sum(item.tokens for item in request.view)
    room = request.target_tokens - max(0, beside)
    ordered = sorted(request.legal_cuts, key=lambda cut: cut.tail_tokens)
    fitting = [cut for cut in ordered if cut.tail_tokens <= room]
    return fitting[-1] if fitting else ordered[0]


def _digest(span: Sequence[Event], *, chinese: bool) -> str:
    head = (
        "以下按顺序列出这一段里用户提出的要求和已执行的步骤；叙述没有生成（没有使用模型）。"
        if chinese
        else "What was asked and done here, in order; narrative not generated (no model)."
    )
    turns = list(_turns(span))
    skipped = len(turns) - MAX_TURNS
    lines = [_line(asked, done, chinese=chinese) for asked, done in turns[-MAX_TURNS:]]
    if skipped > 0:
        lines.insert(0, f"（更早的 {skipped} 轮略去）" if chinese else f"({skipped} earlier turns)")
    return "\n".join([head, *lines])


def _turns(span: Sequence[Event]) -> Iterator[tuple[str, Counter[str]]]:
    """What the user asked, and how often each tool was called after it."""
    asked, done = "", Counter[str]()
    for event in span:
        if event.kind == "user":
            if asked or done:
                yield asked, done
            asked, done = _quoted(event), Counter()
        for block in event.data.get("blocks", ()) if event.kind == "assistant" else ():
            if block.get("type") == "tool_use":
                done[str(block.get("name"))] += 1
    if asked or done:
        yield asked, done


def _quoted(event: Event) -> str:
    data: Any = event.data
    text = " ".join(str(data.get("text", ""))[: 4 * WORDS].split())
    return text if len(text) <= WORDS else f"{text[:WORDS]}..."


def _line(asked: str, done: Counter[str], *, chinese: bool) -> str:
    steps = ", ".join(f"{name} x{count}" for name, count in sorted(done.items()))
    if chinese:
        words = f"用户说：“{asked}”" if asked else "继续上一个要求"
        return f"- {words}；执行的步骤：{steps or '没有调用工具'}"
    words = f'the user said "{asked}"' if asked else "the request before went on"
    return f"- {words}; steps: {steps or 'no tool was called'}"
