"""A user's rules about commands, matched against parsed words and never against text prefixes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase

from novacore.tools.shell import SimpleCommand

EXACT = "exact:"
"""A rule that begins so means this whole command line, to the letter."""
SYSTEM_FOLDERS = {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"}


def denying(rules: Sequence[str], commands: Sequence[SimpleCommand]) -> str:
    """The first rule that denies one of ``commands``, or nothing.

    A rule denies whatever begins with its words. The program is compared without its folder and
    without regard to case; a word that is only known at run time counts as what the rule names.
    """
    for rule in rules:
        pattern = _words(rule)
        for command in commands:
            words = [command.name.casefold(), *command.argv[1:]] if command.argv else []
            first = pattern[:1] and [pattern[0].casefold()]
            further = [] if pattern[1:] and pattern[-1] == "*" else ["*"]
            if first and _matches([*first, *pattern[1:], *further], words, unknown=True):
                return rule
    return ""


def allows(rules: Sequence[str], command: SimpleCommand) -> bool:
    """Whether a rule allows ``command`` with every word of it.

    Never when a word is only known at run time, when variables are set, or when the program lies
    in a folder that the rule does not name (the system's own excepted).
    """
    if command.assigns or not command.argv or None in command.argv:
        return False
    program = command.argv[0] or ""
    folder, _, name = program.rpartition("/")
    if folder in SYSTEM_FOLDERS:
        program = name
    words = [program, *command.argv[1:]]
    return any(
        pattern and _matches(pattern, words, unknown=False) for pattern in map(_words, rules)
    )


def _words(rule: str) -> list[str]:
    if rule.startswith(EXACT):
        return []
    try:
        return shlex.split(rule)
    except ValueError:
        # An unclosed quote: a rule that cannot be read matches nothing.
        return []


def _matches(pattern: list[str], words: Sequence[str | None], *, unknown: bool) -> bool:
    """Word by word; ``*`` at the end stands for any further words, also none."""
    if not words or not words[0]:
        return False
    if len(pattern) > 1 and pattern[-1] == "*":
        pattern, words = pattern[:-1], words[: len(pattern) - 1]
    if len(pattern) != len(words):
        return False
    return all(
        unknown if word is None else fnmatchcase(word, part)
        for part, word in zip(pattern, words, strict=True)
    )
