"""What is carried over a boundary word for word: user messages, and passages of earlier epochs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from novacore.engine.boundary import Place
from novacore.engine.compact.window import Window
from novacore.types import EventRange, Passage

MAX_PASSAGES = 12
LINE_CHARS = 160


def kept_users(window: Window, cut: int) -> tuple[Place, ...]:
    """User messages before the cut that stay verbatim, in the order of the log.

    The newest until their share is full, the latest always, and every one that holds a constraint
    in force. A message larger than the whole share is kept up to it: its rules stand in the state.
    """
    share = window.budget.user_share
    ruling = {rule.event for rule in window.state.constraints if not rule.superseded_by}
    told_in_tail = any(item.event.kind == "user" for item in window.items[cut:])
    left, chosen = share, []
    for index, place in enumerate(reversed(_said_before(window, cut))):
        tokens = window.count(str(window.lookup(place.event).data.get("text", "")))
        must = place.event in ruling or (index == 0 and not told_in_tail)
        if must or tokens <= left:
            chosen.append(_within(place, window, tokens, share))
            left -= min(tokens, share)
    return tuple(reversed(chosen))


def carried(window: Window, proposed: Sequence[Passage]) -> tuple[Passage, ...]:
    """Earlier passages that ``proposed`` does not replace, then ``proposed``, within their share.

    Earlier ones stay as they were written; where all of them are too much, the oldest shrink to a
    line, and the oldest lines become one. Every event stays covered.
    """
    starts = window.lookup(min_first(window, proposed)).seq
    kept = [p for p in window.passages if window.lookup(p.covers.first).seq < starts]
    new = sorted(proposed, key=lambda p: window.lookup(p.covers.first).seq)
    room = window.budget.shares["task"] - sum(window.count(p.text) for p in new)
    for index in range(len(kept)):
        if sum(window.count(p.text) for p in kept) <= room:
            break
        kept[index] = _shrunk(kept[index], window)
    return (*_joined(kept, MAX_PASSAGES - len(new), window), *new)


def min_first(window: Window, passages: Sequence[Passage]) -> str:
    """The first event that ``passages`` cover."""
    return min((p.covers.first for p in passages), key=lambda id: window.lookup(id).seq)


def _said_before(window: Window, cut: int) -> list[Place]:
    said = {place.event: place for place in window.places}
    for item in window.items[:cut]:
        if item.event.kind == "user":
            said[item.event.id] = Place(event=item.event.id, offset=item.event.offset)
    return sorted(said.values(), key=lambda place: window.lookup(place.event).seq)


def _within(place: Place, window: Window, tokens: int, share: int) -> Place:
    if tokens <= share or place.chars >= 0:
        return place
    text = str(window.lookup(place.event).data.get("text", ""))
    return replace(place, chars=len(text) * share // tokens)


def _shrunk(passage: Passage, window: Window) -> Passage:
    first = passage.text.strip().split("\n", 1)[0]
    line = first if len(first) <= LINE_CHARS else f"{first[:LINE_CHARS]}..."
    return passage if line == passage.text else replace(passage, text=line)


def _joined(passages: list[Passage], limit: int, window: Window) -> list[Passage]:
    surplus = len(passages) - max(1, limit)
    if surplus <= 0:
        return passages
    oldest = passages[: surplus + 1]
    covers = EventRange(first=oldest[0].covers.first, last=oldest[-1].covers.last)
    return [Passage(text=stand_in(window, covers), covers=covers), *passages[surplus + 1 :]]


def stand_in(window: Window, covers: EventRange) -> str:
    """A line that says no more than what is certain."""
    number = window.lookup(covers.last).seq - window.lookup(covers.first).seq + 1
    if window.state.reply_language == "zh":
        return f"此处共有 {number} 条记录，没有生成叙述；需要时请用 history 工具读取。"
    return f"{number} records, no narrative was made; read them with the history tool when needed."
