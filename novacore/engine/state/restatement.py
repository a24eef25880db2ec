"""The restatement: the pinned words of a state, in short, for the end of a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from novacore.engine.state.grammar import escape
from novacore.types import State

_NOTE = "What is in force now; this replaces any earlier restatement."
_MORE = "(and {n} more: see the log with the history tool)"


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines under a heading. ``first`` orders their indices by how much each matters."""

    heading: str
    lines: tuple[str, ...]
    first: tuple[int, ...]
    shorten: bool = False


def render_restatement(state: State, max_tokens: int = 800) -> str:
    """Goal, constraints in force, open side effects and plan; "" when there is none of them.

    At most ``max_tokens`` by the class estimate. Constraints take their room first, then side
    effects, goal and plan; nothing but the goal is shortened, and what does not fit is counted.
    Equal states give equal bytes.
    """
    from novacore.tokens import estimate

    parts = [part for part in _parts(state) if part.lines]
    room = max_tokens
    while parts and room > 0:
        text = _text(parts, room)
        if estimate(text) <= max_tokens:
            return text
        room -= max(20, max_tokens // 20)
    return ""


def _parts(state: State) -> Iterator[_Part]:
    """In the order of their text."""
    goal = (escape(state.goal.text),) if state.goal else ()
    yield _Part("Goal:", goal, (0,) if goal else (), shorten=True)
    rules = [s.text for s in state.constraints if not s.superseded_by]
    yield _listed("Constraints in force:", rules, range(len(rules) - 1, -1, -1))
    effects = [
        f"{e.status}: {e.tool} {e.summary} [{e.call_id}]"
        for e in state.side_effects
        if e.status in ("started", "unknown")
    ]
    yield _listed("Side effects to check before they are repeated:", effects)
    plan = [f"[{p.status}] {p.text}" for p in state.plan]
    rank = {"doing": 0, "open": 1, "done": 2, "cancelled": 3}
    yield _listed("Plan:", plan, sorted(range(len(plan)), key=lambda i: rank[state.plan[i].status]))


def _listed(heading: str, lines: Sequence[str], first: Sequence[int] | None = None) -> _Part:
    order = range(len(lines)) if first is None else first
    return _Part(heading, tuple(f"- {escape(line)}" for line in lines), tuple(order))


def _text(parts: Sequence[_Part], room: int) -> str:
    """The parts within about ``room`` tokens, which they take in the order of ``_TURN``."""
    from novacore.tokens import estimate

    written: dict[str, str] = {}
    for part in sorted(parts, key=lambda part: _TURN.index(part.heading[0])):
        written[part.heading] = text = _fitted(part, room)
        room -= estimate(text) + 1
    body = "\n".join(text for part in parts if (text := written[part.heading]))
    return f"<restatement>\n{_NOTE}\n{body}\n</restatement>"


_TURN = "CSGP"
"""Whose turn it is to take room, by the initial of the heading."""


def _fitted(part: _Part, room: int) -> str:
    from novacore.tokens import estimate

    chosen: set[int] = set()
    room -= estimate(part.heading) + 12
    for index in part.first:
        cost = estimate(part.lines[index]) + 1
        if cost <= room:
            chosen.add(index)
            room -= cost
    if not chosen and part.shorten and room > 20:
        return f"{part.heading}\n{part.lines[0][: room * 2]} ..."
    left_out = len(part.lines) - len(chosen)
    lines = [line for index, line in enumerate(part.lines) if index in chosen]
    more = [_MORE.format(n=left_out)] if left_out else []
    return "\n".join([part.heading, *lines, *more])
