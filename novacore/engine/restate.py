"""Restatements: goal, hard constraints, open side effects and plan, repeated near the decision.

Models use the start and the end of a window best. The words are the state's own, never a
paraphrase; each restatement stays in history and says that it replaces the one before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from novacore.engine.state import fold, render_restatement
from novacore.types import Event, State

MAX_TOKENS = 800
PLAN_EVERY = 8_000
EPOCH_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Stated:
    """What stands in this epoch, and how many tokens restatements have cost in it.

    ``core`` is a hash of what was told of goal, constraints and side effects; ``at`` the tokens in
    use when it was told.
    """

    core: str = ""
    whole: str = ""
    at: int = 0
    spent: int = 0


def due(
    state: State,
    stated: Stated,
    *,
    used: int,
    turn_start: bool,
    count: Callable[[str], int],
) -> dict[str, Any] | None:
    """The data of an ``update`` event that restates the state now, or None.

    Sent when goal, constraints or open side effects changed, or the plan changed and 8,000 tokens
    have passed. A change that the user's own newest words made stands in the window already, so it
    waits for the next turn or for 8,000 tokens. At most 5 % of an epoch goes to restatements; open
    side effects are exempt from that.
    """
    whole = render_restatement(state, max_tokens=MAX_TOKENS)
    core = _core(state)
    if not whole or whole == stated.whole:
        return None
    far = used - stated.at >= PLAN_EVERY
    if core == stated.core and not far:
        return None
    urgent = any(e.status in ("started", "unknown") for e in state.side_effects)
    if not (urgent or turn_start or far):
        return None
    affordable = stated.spent + count(whole) <= EPOCH_SHARE * used
    if not (urgent or affordable):
        return None
    return {"scope": "restatement", "text": whole, "core": core, "at": used}


def stated_after(stated: Stated, event: Event, count: Callable[[str], int]) -> Stated:
    """Fold one event into what was restated; a boundary tells the whole state at its head."""
    if event.kind == "compaction":
        state = fold(State(), event)
        whole = render_restatement(state, max_tokens=MAX_TOKENS)
        at = int(event.data["boundary"].get("tokens_after") or 0)
        return Stated(core=_core(state), whole=whole, at=at)
    if event.kind != "update" or event.data.get("scope") != "restatement":
        return stated
    text = str(event.data["text"])
    return Stated(
        core=str(event.data.get("core", "")),
        whole=text,
        at=int(event.data.get("at") or 0),
        spent=stated.spent + count(text),
    )


def _core(state: State) -> str:
    text = render_restatement(replace(state, plan=()), max_tokens=MAX_TOKENS)
    if not text:
        return ""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
