"""What a value looks like: a secret, a reference to one, or an example."""

from __future__ import annotations

import re

_REFERENCE = re.compile(
    r"^[$%{<(*@&#\[]"  # a variable, template, mask or mark
    r"|[(\[{]"  # a call, an index
    r"|\.\.\."
    r"|^(?:\./|\.\./|~/|[a-z+]+://)"  # where it lies, not what it is
    # One in 64 base64 texts begins with a slash too, and mixes cases over its whole length.
    r"|^/(?=[^A-Z]*$|.{0,19}$|[^.]*\.)"
    r"|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$"  # an attribute
)
_EXAMPLE = re.compile(
    r"^(?:[x*•.\-_]+|(.)\1+|none|null|nil|true|false|undefined|required|optional|redacted|masked|"
    r"hidden|changeme|change[_-]me|foobar|todo|string|"
    r"(?:my|your|the|a|some|test|fake|dummy|example|sample|default|invalid|wrong|new|old)?[_-]?"
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|access|secret)?[_-]?key|credentials?)"
    r"(?:[_-]?(?:here|value|name|goes|\d{1,2}))*)$"
    r"|^(?:your|my|insert|replace|enter|example|placeholder)[_\- ]",
    re.IGNORECASE,
)
_NAME = re.compile(r"^[A-Za-z_]+(?:[_-][A-Za-z]+)*[_-]?\d{0,2}$")
_TYPE = re.compile(
    r"^(?:u?int|float|complex|str(?:ing)?|bytes|char|bool|sha|md|utf|base|hex|ed|aes|rs|hs|es|x|v)"
    r"[-_]?\d+\w*$",
    re.IGNORECASE,
)


def is_placeholder(value: str) -> bool:
    """Whether ``value`` stands for a secret or gives an example of one."""
    return bool(_REFERENCE.search(value) or _EXAMPLE.match(value))


def looks_random(value: str) -> bool:
    """Letters mixed with digits, or with cases inside of the word, as no ordinary word has them."""
    if _TYPE.match(value):
        return False
    letters = any(char.isalpha() for char in value)
    if letters and any(char.isdigit() for char in value):
        return True
    return letters and value != value.lower() and bool(re.search(r"[a-z][A-Z]{2}|[=+/]", value))


def looks_like_name(value: str) -> bool:
    """Words that code would use as an identifier or key, with at most two digits behind."""
    return bool(_NAME.match(value))
