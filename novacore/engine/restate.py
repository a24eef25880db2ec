"""Restatements: goal, hard constraints, open side effects and plan, repeated near the decision.

Models use the start and the end of a window best. The words are the state's own, never a
paraphrase; each restatement stays in history and says that it replaces the one before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from novacore.engine.state import render_restatement
from novacore.types import State

MAX_TOKENS = 800
PLAN_EVERY = 8_000
EPOCH_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Stated:
    """What was restated last in this epoch, and how many tokens restatements have cost in it."""

    core: str = ""
    whole: str = ""
    at: int = 0
    spent: int = 0


def due(state: State, stated: Stated, *, used: int, turn_start: bool) -> str | None:
    """The text to append now, or None.

    Sent when goal, constraints or open side effects changed, or the plan changed and 8,000 tokens
    have passed. A change that the user's own newest words made stands in the window already, so it
    waits for the next turn or for 8,000 tokens. At most 5 % of an epoch goes to restatements; open
    side effects are exempt from that.
    """
    whole = render_restatement(state, max_tokens=MAX_TOKENS)
    core = render_restatement(replace(state, plan=()), max_tokens=MAX_TOKENS)
    if not whole or whole == stated.whole:
        return None
    far = used - stated.at >= PLAN_EVERY
    if core == stated.core and not far:
        return None
    urgent = any(e.status in ("started", "unknown") for e in state.side_effects)
    if not (urgent or turn_start or far):
        return None
    affordable = stated.spent + len(whole) / 4 <= EPOCH_SHARE * used
    return whole if urgent or affordable else None


def after(stated: Stated, state: State, text: str, *, used: int, tokens: int) -> Stated:
    """What is restated once ``text`` has been appended at ``used`` tokens."""
    core = render_restatement(replace(state, plan=()), max_tokens=MAX_TOKENS)
    return Stated(core=core, whole=text, at=used, spent=stated.spent + tokens)
