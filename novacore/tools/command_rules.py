"""A user's rules about commands, matched against parsed words and never against text prefixes."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from novacore.tools.shell import SimpleCommand

EXACT = "exact:"
"""A rule that begins so means this whole command line, to the letter."""
HASH = "hash:"
"""A rule that begins so means the rule with that hash."""
SYSTEM_FOLDERS = {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"}
_WILD = re.compile(r"[*?\[]")


def hashed(rule: str) -> str:
    """``rule`` by its hash, for one that holds a secret."""
    data = rule.encode("utf-8", "surrogatepass")
    return HASH + hashlib.blake2b(data, digest_size=16).hexdigest()


def denying(rules: Sequence[str], commands: Sequence[SimpleCommand]) -> str:
    """The first rule that denies one of ``commands``, or nothing.

    A rule denies whatever begins with its words, options before them aside (``git push`` also
    means ``git -C x push``). The program is compared without its folder and without regard to
    case; a word that is only known at run time counts as what the rule names.
    """
    for rule in rules:
        pattern = _words(rule)
        if pattern and any(_denies(pattern, command) for command in commands):
            return rule
    return ""


def allows(rules: Sequence[str], command: SimpleCommand, *, named: bool = False) -> bool:
    """Whether a rule allows ``command`` with every word of it.

    Never when a word is only known at run time, when variables are set, or when the program lies
    in a folder that the rule does not name (the system's own excepted). ``named``: only by rules
    that name the program without wildcards.
    """
    if command.assigns or not command.argv or None in command.argv:
        return False
    program, *arguments = command.argv
    folder, _, name = (program or "").rpartition("/")
    programs = [program, name] if folder in SYSTEM_FOLDERS else [program]
    patterns = [p for p in map(_words, rules) if p and not (named and _WILD.search(p[0]))]
    return any(
        _matches(pattern, [each, *arguments], unknown=False)
        for pattern in patterns
        for each in programs
    )


def _denies(pattern: Sequence[str], command: SimpleCommand) -> bool:
    name, wanted = pattern[0].rpartition("/")[2].casefold(), list(pattern[1:])
    if wanted[-1:] != ["*"]:
        wanted.append("*")
    return any(
        _matches([name, *wanted], [command.name.casefold(), *rest], unknown=True)
        for rest in _behind_options(command.argv[1:])
    )


def _behind_options(words: Sequence[str | None]) -> Iterator[Sequence[str | None]]:
    """``words``, and what is left of them without options in front, each with its value or not."""
    starts = {0}
    for place, word in enumerate(words):
        if place in starts and (word is None or word.startswith("-")):
            starts |= {place + 1, place + 2}
    return (words[start:] for start in sorted(starts))


def _words(rule: str) -> list[str]:
    if rule.startswith((EXACT, HASH)):
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
