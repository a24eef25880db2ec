"""Secrets that show by the name they are given: ``API_KEY=...``, ``password: ...``.

The forms differ in how much they prove. ``NAME=value`` in capitals is what an environment prints;
a quoted literal or a YAML value in lower case also stands in code, so it must look like a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from novacore.tools.secret_values import is_placeholder, looks_like_name, looks_random

Kind = Literal["password", "token", "secret", "key", "credential"]

_ASSIGNED = re.compile(
    r"(?:key|token|secret|passw(?:or)?d|passphrase|pwd|pass|credentials?)"
    r"(?:_[a-z0-9]{1,12}){0,2}"
    r"[\"']?\]?"
    r"(?P<sep>[ \t]{0,8}(?:=>|:=|=(?!=)"
    r"|:[ \t]{0,4}[a-z_][a-z0-9_.\[\], |]{0,40}=(?!=)|:(?!:))"
    r"[ \t]{0,8}| {1,4}(?=[^\s=:]))"
)
_NAME_BACKWARDS = re.compile(r"[A-Za-z0-9_.\-]{0,64}")
_QUOTED = r"[bBrRuU]?(?P<quote>[\"'])(?P<quoted>(?:(?!(?P=quote))[^\n\\]|\\.){1,512})(?P=quote)"
_VALUE = re.compile(rf"{_QUOTED}|(?P<bare>(?:[^\s\"'`\\,;|&<>]|\\(?![nrt\"'])){{1,512}})")
# What an environment prints ends with the line, whatever stands in it.
_ENVIRONMENT_VALUE = re.compile(rf"{_QUOTED}|(?P<bare>(?:[^\s\"'`\\]|\\(?![nrt\"'])){{1,512}})")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORDS = {"password", "passwd", "passphrase", "pwd", "pass"}
_TAGS = {"prod", "production", "dev", "test", "staging", "old", "new", "value", "text", "plain"}
_SECRET_KEYS = {
    "api", "secret", "access", "private", "auth", "encryption", "encrypt", "signing", "service",
    "account", "client", "master", "license", "deploy", "app", "shared", "storage",
    "subscription", "webhook", "jwt", "hmac", "admin", "root", "ssh", "consumer",
}  # fmt: skip
_PUBLIC_KEYS = {
    "primary", "foreign", "sort", "cache", "partition", "public", "host", "registry", "object",
    "lookup", "index", "group", "row", "dict", "json", "map", "unique", "config", "context", "gpg",
    "state", "hash", "column", "routing", "message", "idempotency", "translation", "order", "s3",
}  # fmt: skip
_NO_SECRET_TOKENS = {
    "count", "max", "min", "num", "eos", "bos", "pad", "unk", "sep", "cls", "mask", "special",
    "next", "page", "cancellation", "start", "end", "stop", "unexpected", "continuation",
}  # fmt: skip


def assigned(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of every value with a secret's name; both texts have one length."""
    for match in _ASSIGNED.finditer(lowered):
        sep_start, sep_end = match.span("sep")
        start = match.start()
        head = _NAME_BACKWARDS.match(text[max(0, start - 64) : start][::-1])
        name = (head[0][::-1] if head else "") + text[start:sep_start].rstrip("\"']")
        kind = kind_of(name)
        if kind is None:
            continue
        sep = text[sep_start:sep_end]
        form = _ENVIRONMENT_VALUE if sep == "=" and name.isupper() else _VALUE
        value = form.match(text, sep_end)
        if value and _is_secret(kind, name, sep, value):
            start, end = value.span("quoted" if value["quote"] else "bare")
            yield start, end, kind


def kind_of(name: str) -> Kind | None:
    """What a variable, key or flag of this name holds, if it is a secret."""
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _TAGS):
        words.pop()
    last, before = words[-1:], words[-2:-1]
    if not last or not words:
        return None
    if last[0] in _PASSWORDS:
        return "password" if last[0] != "pass" or before else None
    if last[0] in ("token", "authtoken"):
        return None if _NO_SECRET_TOKENS.intersection(words) else "token"
    if last[0] == "secret":
        return "secret"
    if last[0] in ("credential", "credentials"):
        return "credential"
    return _key(name, words)


def _key(name: str, words: list[str]) -> Kind | None:
    if words[-1] == "apikey":
        return "key"
    if words[-1] != "key" or len(words) < 2 or _PUBLIC_KEYS.intersection(words):
        return None
    return "key" if words[-2] in _SECRET_KEYS or name.isupper() else None


def _is_secret(kind: Kind, name: str, sep: str, value: re.Match[str]) -> bool:
    text = value["quoted"] if value["quote"] else value["bare"].rstrip(").]}")
    if is_placeholder(text) or (not sep.strip() and not name.startswith("--")):
        return False
    if sep == "=" and name.isupper():
        return _in_environment(kind, text)
    if text.isdigit():
        return kind == "password" and len(text) >= 6
    shortest = {"password": 6, "secret": 8, "credential": 8}.get(kind, 12)
    if kind != "password" and not value["quote"] and name.lower() == kind:
        shortest = 16
    named = looks_like_name(text) and (kind != "password" or "_" in text)
    return len(text) >= shortest and " " not in text and looks_random(text) and not named


def _in_environment(kind: Kind, text: str) -> bool:
    if kind == "password":
        return len(text) >= 3
    if text.isdigit():
        return len(text) >= 12
    if kind == "key":
        return len(text) >= 8 and looks_random(text)
    return len(text) >= 8
