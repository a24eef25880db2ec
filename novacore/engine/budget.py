"""The budget: every line and share of a window, from its size alone (docs/concepts/window.md).

A line is crossed at used >= line; "over" a size is strict. All numbers are tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from novacore.errors import ConfigError

MIN_WINDOW = 16_000
TAIL_MESSAGES = 5
SOFT_CAP = 200_000
SHARES = {"stable": 3, "tools": 4, "task": 3, "recent": 6, "evidence": 8, "margin": 2}
"""Parts of the target per class, of 26: what a boundary is filled by."""

Zone = Literal["none", "soft", "hard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Lines and shares of one window, in tokens; ``scale`` multiplies tail and spill limits."""

    window: int
    out: int
    soft: int
    hard: int
    tail_min: int
    tail_max: int
    tail_messages: int
    smallest_prefix: int
    target: int
    recovery: int
    user_share: int
    hysteresis: int
    scale: float
    shares: Mapping[str, int]


def budget_for(
    window: int,
    *,
    max_output: int = 0,
    soft_cap: int | None = SOFT_CAP,
    scale_with_window: float = 2.0,
) -> Budget:
    """The budget of a window of ``window`` tokens.

    ``max_output`` is the model's own limit (0: unknown); ``soft_cap`` None lets the soft line grow
    with the window. Raises ConfigError below 16,000 tokens.
    """
    if window < MIN_WINDOW:
        raise ConfigError(
            f"a window of {window:,} tokens is too small to work with tools: "
            f"choose a model with at least {MIN_WINDOW:,}"
        )
    out = min(20_000, window * 15 // 100, max_output or window)
    soft = window - out - min(13_000, window // 10)
    if soft_cap is not None:
        soft = min(soft, max(soft_cap, MIN_WINDOW // 2))
    scale = max(1.0, min(window / 200_000, scale_with_window))
    target = soft * 45 // 100
    return Budget(
        window=window,
        out=out,
        soft=soft,
        hard=window - out - min(3_000, window * 3 // 100),
        tail_min=int(min(10_000, soft // 10) * scale),
        tail_max=int(min(40_000, soft // 4) * scale),
        tail_messages=TAIL_MESSAGES,
        smallest_prefix=min(2_000, window // 50),
        target=target,
        recovery=min(25_000, soft // 10),
        user_share=min(20_000, soft // 10),
        hysteresis=min(5_000, soft * 3 // 100),
        scale=scale,
        shares={name: target * part // sum(SHARES.values()) for name, part in SHARES.items()},
    )


def zone(budget: Budget, used: int, *, last_attempt: int | None = None) -> Zone:
    """Where ``used`` tokens stand. ``last_attempt``: used when the soft zone was last tried.

    After an attempt the soft zone begins again ``hysteresis`` tokens later; the hard line never
    moves.
    """
    if used >= budget.hard:
        return "hard"
    if used < budget.soft:
        return "none"
    waiting = last_attempt is not None and used < last_attempt + budget.hysteresis
    return "none" if waiting else "soft"
