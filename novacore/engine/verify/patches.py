"""State patches: every claim is bound to events that exist and hold its literals."""

from __future__ import annotations

import re
from collections.abc import Iterable

from novacore.engine.event_words import all_words
from novacore.engine.verify.passages import event_of
from novacore.errors import ContractError
from novacore.types import CompactRequest, Event, Fact, Statement, StatePatch, Supersession

_TOKEN = re.compile(r"[A-Za-z0-9_./\\:#@+-]+")
_FILE_NAME = re.compile(r"[\w-]+\.[A-Za-z]{1,5}\Z")
_APPROVED = re.compile(
    r"\bapprov(?:ed|al given|es)\b|\bsigned off\b|已?批准|已审批|审批通过|已同意", re.I
)


def verify_patch(patch: StatePatch, request: CompactRequest) -> None:
    """Raises ContractError for the first thing in ``patch`` that cannot be shown."""
    for fact in patch.facts:
        _verify_fact(fact, request)
    for statement in (*patch.decisions, *patch.ruled_out):
        _verify_statement(statement, request)
    loops = {loop.id for loop in request.state.open_loops if not loop.id.startswith("ask-")}
    for id in patch.resolved_loops:
        if id not in loops:
            raise ContractError(f"no open loop {id[:64]!r} that a patch may close")
    for change in patch.superseded:
        _verify_supersession(change, request)


def literals(text: str) -> Iterable[str]:
    """What must be exact in a claim: numbers, ids, hashes, paths, file names."""
    for token in _TOKEN.findall(text):
        word = token.strip(".:-+")
        path = ("/" in word or "\\" in word) and not re.fullmatch(r"[A-Za-z]+/[A-Za-z]+", word)
        if any(c.isdigit() for c in word) or path or _FILE_NAME.match(word):
            yield word


def holds(words: str, literal: str) -> bool:
    """Whether ``literal`` stands in ``words`` by itself, not inside a longer number or name."""
    return bool(
        re.search(rf"(?<![A-Za-z0-9])(?<!\d\.){re.escape(literal)}(?![A-Za-z0-9]|\.\d)", words)
    )


def _verify_fact(fact: Fact, request: CompactRequest) -> None:
    if not fact.evidence or not fact.claim.strip():
        raise ContractError(f"fact {fact.claim[:80]!r} cites no event")
    events = [event_of(id, request) for id in fact.evidence]
    _verify_literals(fact.claim, events)
    _verify_approval(fact.claim, events)


def _verify_statement(statement: Statement, request: CompactRequest) -> None:
    event = event_of(statement.event, request)
    if not statement.text.strip():
        raise ContractError("a statement of the patch is empty")
    _verify_literals(statement.text, [event])
    _verify_approval(statement.text, [event])


def _verify_literals(claim: str, events: list[Event]) -> None:
    words = "\n".join(all_words(event.data) for event in events)
    for literal in literals(claim):
        if not holds(words, literal):
            raise ContractError(
                f"{literal!r} does not occur in the events cited for {claim[:80]!r}"
            )


def _verify_approval(claim: str, events: list[Event]) -> None:
    if _APPROVED.search(claim) and not any(map(_by_user, events)):
        raise ContractError(f"{claim[:80]!r} claims an approval that no user gave")


def _by_user(event: Event) -> bool:
    if event.kind == "permission":
        return event.data.get("outcome") in ("once", "session", "always")
    return event.by == "user"


def _verify_supersession(change: Supersession, request: CompactRequest) -> None:
    in_force = {rule.text for rule in request.state.constraints if not rule.superseded_by}
    if change.old not in in_force:
        raise ContractError(f"no rule in force reads {change.old[:80]!r}")
    event = event_of(change.event, request)
    if event.by != "user" or not change.new.strip() or change.new not in all_words(event.data):
        raise ContractError(
            f"the user did not say {change.new[:80]!r} in event {change.event[:64]}"
        )
    if change.new == change.old:
        raise ContractError("a rule cannot supersede itself")
