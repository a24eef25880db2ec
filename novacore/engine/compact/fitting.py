"""Whether a compaction can help at all, and which cuts leave room for what must stay."""

from __future__ import annotations

from dataclasses import dataclass

from novacore.engine.compact.build import build, head_tokens
from novacore.engine.compact.window import Window
from novacore.engine.cuts import legal_cuts
from novacore.types import Compaction, LegalCut


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Cuts that a plugin may choose from, and the most tokens that may be in use afterwards."""

    cuts: tuple[LegalCut, ...]
    limit: int
    largest: tuple[tuple[str, int], ...]
    """What must stay, largest first: words and tokens."""
    reason: str = ""
    """Why no compaction can help; empty when one can."""


def fit(window: Window) -> Fit:
    """Weigh a window. Pinned, baseline and tail minimum come first; what is left is the tail's."""
    cuts = legal_cuts(window.items, window.budget)
    if window.previous and window.items and window.previous.upto == window.items[-1].event.id:
        return _useless(window, "nothing was said or done since the last compaction")
    if not cuts:
        smallest = window.budget.smallest_prefix
        return _useless(window, f"fewer than {smallest:,} tokens stand before a step to cut at")
    pinned = window.ground + _pinned_tokens(window, cuts[-1])
    least = pinned + cuts[-1].tail_tokens
    parts = _parts(window, pinned - window.ground, cuts[-1].tail_tokens)
    if least >= window.budget.soft:
        words = f"what must stay takes {least:,} tokens, the soft line is {window.budget.soft:,}"
        return Fit(cuts=(), limit=0, largest=parts, reason=words)
    room = max(window.budget.target, least) - pinned
    fitting = tuple(cut for cut in cuts if cut.tail_tokens <= room)
    limit = max(window.budget.target, least) + window.budget.shares["task"]
    return Fit(cuts=fitting, limit=limit, largest=parts)


def _pinned_tokens(window: Window, cut: LegalCut) -> int:
    """Tokens of the state and of the user messages that stay, whatever a plugin proposes."""
    index = next(i for i, item in enumerate(window.items) if item.event.id == cut.event)
    _, head = build(window, Compaction(), index)
    return head_tokens(window, head)


def _useless(window: Window, reason: str) -> Fit:
    history = sum(item.tokens for item in window.items)
    head = max(0, window.used - history - window.ground)
    return Fit(cuts=(), limit=0, largest=_parts(window, head, history), reason=reason)


def _parts(window: Window, head: int, tail: int) -> tuple[tuple[str, int], ...]:
    newest = max(window.items, key=lambda item: item.tokens, default=None)
    named = f"newest steps (the largest is event {newest.event.id})" if newest else "newest steps"
    parts = {
        "tools, system text, baseline and recovery": window.ground,
        "state and the user's messages": head,
        named: tail,
    }
    return tuple(sorted(parts.items(), key=lambda part: -part[1]))
