"""A text that every match of a pattern must hold, so that most files need not be matched at all."""

from __future__ import annotations

import re

_OPTIONAL = re.compile(r"[*?]|\{0*[,}]")
# Alternatives, options, comments, fuzzy counts, and escapes whose meaning takes more characters.
_TOO_CLEVER = re.compile(r"\||\(\?|#|\{(?!\d)|\\(?![wWdDsSbBnrtAZ])\w")
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|.", re.DOTALL)


def required_literal(pattern: str) -> str:
    """The longest ASCII text that any match of the regular expression must hold, or nothing.

    Careful rather than clever: alternatives, groups, options and verbose patterns give nothing.
    """
    if _TOO_CLEVER.search(pattern):
        return ""
    runs, depth = [""], 0
    tokens = _TOKEN.findall(pattern)
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        depth += {"(": 1, ")": -1}.get(token, 0)
        char = _literal(token)
        if depth or not char or _OPTIONAL.match(following):
            runs.append("")
            continue
        runs[-1] += char
        if following[:1] in ("+", "{"):
            runs.append("")
    return max(runs, key=len)


def _literal(token: str) -> str:
    """The one character that a token stands for, if it is an ASCII one that means itself."""
    if len(token) == 2 and token[0] == "\\" and not token[1].isalnum():
        return token[1] if token[1].isascii() and token[1] >= " " else ""
    plain = len(token) == 1 and token not in "\\.^$*+?{}[]()"
    return token if plain and token.isascii() and token >= " " else ""
