"""Secrets that show by their own shape: detect-secrets' rule set, and shapes that it lacks.

Its patterns are used as data, without its scanner and without its verification calls. Every rule
has literals that occur in all of its matches, so that a text without them costs a substring search
and the library (0.2 s) is imported only where a literal was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from novacore.tools.secret_values import is_placeholder, looks_random

WINDOW = 2_000
"""Characters before and after a literal in which its rule may match; bounds hostile lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A rule of detect-secrets (``plugin``: module and class) or one of our own (``pattern``).

    The secret is the last group that matched, or the whole match (``whole``). ``folded`` literals
    are lower case and found in any case.
    """

    kind: str
    literals: tuple[str, ...]
    plugin: str = ""
    pattern: str = ""
    folded: bool = False
    whole: bool = False
    reach: int = WINDOW


_PRIVATE = r"(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"

SHAPES = (
    Shape(kind="artifactory-key", plugin="artifactory:ArtifactoryDetector", literals=("AKC",)),
    Shape(kind="aws-key", plugin="aws:AWSKeyDetector", whole=True,
          literals=("AKIA", "ASIA", "ABIA", "ACCA", "A3T")),
    Shape(kind="azure-key", plugin="azure_storage_key:AzureStorageKeyDetector",
          literals=("AccountKey=",)),
    Shape(kind="github-token", plugin="github_token:GitHubTokenDetector", whole=True,
          literals=("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    Shape(kind="gitlab-token", plugin="gitlab_token:GitLabTokenDetector", whole=True,
          literals=("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "GR1348941", "glcbt-",
                    "glimt-", "glptt-", "glagent-", "gloas-")),
    Shape(kind="mailchimp-key", plugin="mailchimp:MailchimpDetector", whole=True,
          literals=tuple(f"-us{digit}" for digit in range(1, 10))),
    Shape(kind="openai-key", plugin="openai:OpenAIDetector", whole=True, literals=("T3BlbkFJ",)),
    Shape(kind="pypi-token", plugin="pypi_token:PypiTokenDetector", literals=("pypi-Ag",)),
    Shape(kind="sendgrid-key", plugin="sendgrid:SendGridDetector", literals=("SG.",)),
    Shape(kind="slack-token", plugin="slack:SlackDetector", whole=True, folded=True,
          literals=("xoxa-", "xoxb-", "xoxp-", "xoxo-", "xoxs-", "xoxr-", "hooks.slack.com")),
    Shape(kind="square-secret", plugin="square_oauth:SquareOAuthDetector", literals=("sq0csp-",)),
    Shape(kind="stripe-key", plugin="stripe:StripeDetector", literals=("k_live_",)),
    Shape(kind="telegram-token", plugin="telegram_token:TelegramBotTokenDetector",
          literals=(":AA",)),
    # detect-secrets reports the first line of a key; what must go is the key.
    Shape(kind="private-key", literals=("-----BEGIN ",), whole=True, reach=24_000,
          pattern=rf"-----BEGIN {_PRIVATE}"
          r"(?:[A-Za-z0-9+/=:,.()\s]|\\[nrt]|-(?!----)){40,20000}"
          rf"(?:-----END {_PRIVATE})?"),
    # Its pattern for JSON web tokens leaves the signature out.
    Shape(kind="jwt", literals=("eyJ",),
          pattern=r"eyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}(?:\.[\w-]{1,4096})?"),
    # Its pattern for URLs takes templates and whole authorities.
    Shape(kind="url-password", literals=("://",),
          pattern=r"://[^\s:/?#@\[\]\"'<>]{0,256}:([^\s/?#@\"'<>`]{1,256})@(?=[\w\[{$])"),
    Shape(kind="authorization", literals=("authorization",), folded=True,
          pattern=r"(?i)authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
          r"(?:bearer|basic|token|apikey)\s{1,4}([A-Za-z0-9._~+/=-]{8,4096})"),
    # Prefixes that the providers publish.
    Shape(kind="api-key", literals=("sk-",), pattern=r"sk-[\w-]{16,512}"),
    Shape(kind="github-token", literals=("github_pat_",), pattern=r"github_pat_\w{22,255}"),
    Shape(kind="google-key", literals=("AIza",), pattern=r"AIza[\w-]{35}"),
    Shape(kind="huggingface-token", literals=("hf_",), pattern=r"hf_[A-Za-z0-9]{30,64}"),
    Shape(kind="npm-token", literals=("npm_",), pattern=r"npm_[A-Za-z0-9]{36}"),
    Shape(kind="age-key", literals=("AGE-SECRET-KEY-1",), pattern=r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
)  # fmt: skip

_WORD = re.compile(r"[A-Za-z0-9]")


def shaped(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of every shaped secret; ``lowered`` has the length of ``text``."""
    for shape in SHAPES:
        for low, high in _windows(shape, lowered if shape.folded else text):
            yield from _matches(shape, text, low, high)


def _windows(shape: Shape, text: str) -> Iterator[tuple[int, int]]:
    """Spans around the literals, merged, so that each rule looks at a character once."""
    places = sorted(place for literal in shape.literals for place in _places(literal, text))
    start = end = -1
    for place in places:
        if start >= 0 and place - WINDOW > end:
            yield start, end
            start = -1
        if start < 0:
            start = max(0, place - WINDOW)
        end = min(place + shape.reach, len(text))
    if start >= 0:
        yield start, end


def _places(literal: str, text: str) -> Iterator[int]:
    place = text.find(literal)
    while place >= 0:
        yield place
        place = text.find(literal, place + len(literal))


def _matches(shape: Shape, text: str, low: int, high: int) -> Iterator[tuple[int, int, str]]:
    for pattern in _compiled(shape):
        for match in pattern.finditer(text, low, high):
            group = 0 if shape.whole else match.lastindex or 0
            start, end = match.span(group)
            if _stands_alone(text, start, end) and _counts(shape.kind, match[group]):
                yield start, end, shape.kind


def _counts(kind: str, value: str) -> bool:
    if kind == "api-key":
        return any(char.isdigit() for char in value)
    if kind == "url-password":
        return not is_placeholder(value)
    return kind != "authorization" or (looks_random(value) and not is_placeholder(value))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """A shape inside a longer word is part of a hash or a base64 blob, not a secret."""
    before = start > 0 and _WORD.match(text[start]) and _WORD.match(text[start - 1])
    after = end < len(text) and _WORD.match(text[end - 1]) and _WORD.match(text[end])
    return not before and not after


@cache
def _compiled(shape: Shape) -> tuple[re.Pattern[str], ...]:
    if shape.pattern:
        return (re.compile(shape.pattern),)
    module, name = shape.plugin.split(":")
    detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
    return tuple(detector.denylist)
