"""How many of a model's own tokens one estimated token is, before anything was learned."""

from __future__ import annotations

import re

CLAUDE_OLD = 1.25
CLAUDE_NEW = 1.65
OPENAI = 1.0

# `claude-3-5-sonnet`, `claude-opus-4-6`, `anthropic.claude-sonnet-4-5-20250929-v1:0`
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")
_OPENAI = re.compile(r"(^|[/.])(gpt-|chatgpt-|codex-|o\d)")


def starting_ratio(model: str) -> float:
    """1.25 for Claude up to 4.6, 1.65 from 4.7 (a new tokenizer), 1.0 for OpenAI and navigator.

    An unknown model gets 1.25: to compact a little early is cheaper than to be refused.
    """
    name = model.lower()
    if "claude" in name:
        version = _CLAUDE.search(name)
        if version is None:
            return CLAUDE_NEW
        return CLAUDE_OLD if (int(version[1]), int(version[2] or 0)) <= (4, 6) else CLAUDE_NEW
    if _OPENAI.search(name) or name == "navigator":
        return OPENAI
    return CLAUDE_OLD
