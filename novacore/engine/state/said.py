"""What the user and the model said: goal, constraints, language, questions left open."""

from __future__ import annotations

import re
from dataclasses import replace

from novacore.engine.state.ids import derived_id
from novacore.engine.state.rules import is_correction, rules_in
from novacore.engine.state.typed import BLANK, asked_language, language_of, typed_only
from novacore.types import Conflict, Event, State, Statement

GOAL_CHARS = 1_200
"""A goal is the user's words up to here, cut at a sentence end; the log holds the rest."""
_NEW_GOAL = re.compile(
    r"\s*(?:new task|next task|new goal|now (?:for )?(?:something|a) (?:else|different))\b"
    r"|\s*(?:新任务|下一个任务|新目标|换个任务)",
    re.I,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")
_ASKS = re.compile(r"[?？]\s*$")
_WORDS = re.compile(r"[A-Za-z_][\w./-]{3,}|[\u3400-\u9fff]{2}")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def user(state: State, event: Event) -> State:
    """A message of the user: it may set the goal, state rules, and answer what was asked."""
    text = str(event.data.get("text", ""))
    typed = typed_only(text)
    state = _with_goal(state, event, text, typed)
    for number, rule in enumerate(rules_in(text)):
        statement = Statement(
            id=derived_id("rule", event.id, number),
            text=rule.text,
            event=event.id,
            condition=rule.condition,
        )
        state = add_rule(state, statement)
    language = asked_language(typed) or language_of(typed.replace(BLANK, " "))
    asked = tuple(loop for loop in state.open_loops if not loop.id.startswith("question-"))
    return replace(state, open_loops=asked, reply_language=language or state.reply_language)


def assistant(state: State, event: Event) -> State:
    """An answer of the model: a question at its end stays open until the user says something."""
    blocks = event.data.get("blocks", ())
    if any(block.get("type") == "tool_use" for block in blocks):
        return state
    text = "\n".join(str(b.get("text", "")) for b in blocks if b.get("type") == "text").strip()
    if not _ASKS.search(text[-40:]):
        return state
    start = max(
        (m.end() for m in _SENTENCE_END.finditer(text[:-1], max(0, len(text) - 400))), default=0
    )
    question = Statement(
        id=derived_id("question", event.id), text=text[start:].strip()[-300:], event=event.id
    )
    return replace(state, open_loops=(*state.open_loops, question)[-20:])


def add_rule(state: State, rule: Statement) -> State:
    """Add a constraint in force. The same sentence twice is one; a correction makes a conflict."""
    active = tuple(rule for rule in state.constraints if not rule.superseded_by)
    if any(old.text == rule.text for old in active):
        return state
    state = replace(state, constraints=(*state.constraints, rule))
    against = _contradicted(rule, active) if is_correction(rule.text) else None
    if against is None:
        return state
    conflict = Conflict(
        id=derived_id("conflict", rule.id, against.id),
        subject=" ".join(sorted(_subject(rule.text) & _subject(against.text))),
        candidates=(rule, against),
    )
    return replace(state, conflicts=(*state.conflicts, conflict))


def _contradicted(rule: Statement, active: tuple[Statement, ...]) -> Statement | None:
    """The rule in force that a correction most likely speaks of, newest first; both stay."""
    words = _subject(rule.text)
    shared = [(len(words & _subject(old.text)), n) for n, old in enumerate(active)]
    best, index = max(shared, default=(0, 0))
    return active[index] if best >= 2 else None


def _subject(text: str) -> set[str]:
    pairs = {
        run[i : i + 2] for run in re.findall(r"[\u3400-\u9fff]+", text) for i in range(len(run) - 1)
    }
    return pairs | {word.lower() for word in re.findall(r"[A-Za-z_][\w./-]{3,}", text)}


def _with_goal(state: State, event: Event, text: str, typed: str) -> State:
    if event.data.get("source") == "steer" and state.goal:
        return state
    finished = bool(state.plan) and all(i.status in ("done", "cancelled") for i in state.plan)
    if state.goal and not finished and not _NEW_GOAL.match(typed):
        return state
    words = _opening(text, typed)
    if not words:
        return state
    goal = Statement(id=derived_id("goal", event.id), text=words, event=event.id)
    earlier = (*state.earlier_goals, state.goal) if state.goal else state.earlier_goals
    return replace(state, goal=goal, earlier_goals=earlier[-10:])


def _opening(text: str, typed: str) -> str:
    """The first words of a message that were typed, or what was pasted when nothing was typed."""
    start = next((i for i, c in enumerate(typed) if c != BLANK and not c.isspace()), None)
    if start is None:
        return text.strip()[:GOAL_CHARS]
    end = typed.find(BLANK, start)
    words = text[start : end if end > 0 else len(text)].rstrip()
    if len(words) <= GOAL_CHARS:
        return words
    ends = [m.end() for m in _SENTENCE_END.finditer(words, 0, GOAL_CHARS)]
    return words[: ends[-1]].rstrip() if ends else words[:GOAL_CHARS]
