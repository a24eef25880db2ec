"""Whether a call may run: the mode, the user's rules, and what the user has answered before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from novacore.tools.command_risks import risks
from novacore.tools.command_rules import EXACT, allows, denying, hashed
from novacore.tools.paths import PathPolicy
from novacore.tools.shell_wrappers import everything
from novacore.types import Mode, PermissionAnswer, PermissionQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The user's rules for a project.

    ``allow`` and ``deny`` hold command patterns (``git status``, ``cd *``); ``allow`` also holds
    what "always" recorded: ``exact:<command>``, ``edit:<path>``, ``path:<real path>``, or the hash
    of one that holds a secret.
    """

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """``reason`` is one sentence for a person and the model; of "allow", who said so."""

    outcome: Literal["allow", "ask", "deny"]
    reason: str = ""


def tightened(rules: Rules, *, deny: Sequence[str]) -> Rules:
    """``rules`` with what a project forbids in addition: the only thing that a project can say."""
    return replace(rules, deny=(*rules.deny, *deny))


def rule_for(question: PermissionQuestion) -> str:
    """The exact rule that ``session`` and ``always`` record for ``question``."""
    if question.subject == "exec":
        return EXACT + question.command.strip()
    return question.rule or f"{question.subject}:{','.join(question.paths)}"


class Permissions:
    """Judges questions. ``mode`` may be changed by the user at any time.

    ``assume_yes`` approves edits inside the roots and nothing else that the rules do not allow;
    ``persist`` is called with a rule that was answered "always", or with its hash where
    ``is_secret`` says that it holds what must not be written down.
    """

    def __init__(
        self,
        mode: Mode = "ask",
        rules: Rules | None = None,
        assume_yes: bool = False,
        *,
        persist: Callable[[str], None] = lambda rule: None,
        is_secret: Callable[[str], bool] = lambda text: False,
    ) -> None:
        self.mode: Mode = mode
        self._rules = rules or Rules()
        self._assume_yes = assume_yes
        self._persist = persist
        self._is_secret = is_secret
        self._remembered: set[str] = set()

    def judge(self, question: PermissionQuestion, policy: PathPolicy) -> Verdict:
        """What the mode and the rules say; "ask" leaves it to a person."""
        if self.mode == "read-only" and question.subject != "path":
            return Verdict(
                outcome="deny",
                reason="The mode is read-only: no command and no edit. The user can change it.",
            )
        if question.subject == "exec":
            return self._command(question, policy)
        return self._path(question, policy)

    def remember(self, question: PermissionQuestion, answer: PermissionAnswer) -> None:
        """Keep an answer for the session, or for good. Protected paths are asked every time."""
        if question.protected or answer.outcome not in ("session", "always"):
            return
        rule = rule_for(question)
        self._remembered.add(rule)
        if answer.outcome == "always":
            self._persist(hashed(rule) if self._is_secret(rule) else rule)

    def _command(self, question: PermissionQuestion, policy: PathPolicy) -> Verdict:
        parsed = everything(question.command)
        if rule := denying(self._rules.deny, parsed.commands):
            return Verdict(outcome="deny", reason=f"The rule {rule!r} denies this command.")
        if said := self._recorded(question):
            return Verdict(outcome="allow", reason=said)
        if parsed.problem or not parsed.commands or question.paths:
            return Verdict(outcome="ask")
        found = risks(question.command, policy, policy.roots[0])
        if found.paths or not found.certain:
            return Verdict(outcome="ask")
        named = bool(found.programs or question.programs)
        if all(allows(self._rules.allow, command, named=named) for command in parsed.commands):
            return Verdict(outcome="allow", reason="The user's rules allow every part of it.")
        return Verdict(outcome="ask")

    def _path(self, question: PermissionQuestion, policy: PathPolicy) -> Verdict:
        write = question.subject == "edit"
        found = [policy.resolve(path, write=write) for path in question.paths]
        for access in found:
            if access.verdict == "deny":
                return Verdict(outcome="deny", reason=access.reason)
        if question.protected or any(access.protected for access in found):
            return Verdict(outcome="ask")
        if said := self._recorded(question):
            return Verdict(outcome="allow", reason=said)
        inside = bool(found) and all(access.verdict == "allow" for access in found)
        if not (write and inside):
            return Verdict(outcome="ask")
        if self.mode == "accept-edits":
            return Verdict(outcome="allow", reason="The mode is accept-edits.")
        if self._assume_yes:
            return Verdict(outcome="allow", reason="The user gave --yes.")
        return Verdict(outcome="ask")

    def _recorded(self, question: PermissionQuestion) -> str:
        """Where the user said yes to just this before; empty where he did not."""
        rule = rule_for(question)
        if rule in self._remembered:
            return "The user allowed just this for the session."
        always = rule in self._rules.allow or hashed(rule) in self._rules.allow
        return "The user allowed just this for good." if always else ""
