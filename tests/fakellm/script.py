"""Turns written as JSON, for a fake that runs as a process of its own.

A script is a list of turns::

    {"say": "text"}
    {"call": "read", "input": {"path": "a.py"}, "text": "Let me look."}
    {"blocks": [{"thinking": "hm"}, {"text": "Both."}, {"call": "read", "input": {}}]}
    {"error": "overloaded"}                      rate_limited (with "retry_after"), bad_key
    {"say": "...", "fault": {"kind": "disconnect", "after_events": 3}}

``stop_reason`` may be given with any turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fakellm.errors import ApiError, bad_key, overloaded, rate_limited
from fakellm.policy import Block, Fault, Text, Thinking, ToolUse, Turn

JSON = dict[str, Any]


def turns(script: Sequence[JSON]) -> list[Turn]:
    """The turns of a script; raises ValueError naming the first one that is not understood."""
    return [_turn(i, row) for i, row in enumerate(script)]


def _turn(index: int, row: JSON) -> Turn:
    if name := row.get("error"):
        return Turn.fails(_error(index, name, row))
    fault = Fault(**row["fault"]) if "fault" in row else None
    rows = row.get("blocks") or _short_form(row)
    blocks = tuple(_block(index, b) for b in rows)
    if not blocks:
        raise ValueError(f"turn {index}: give say, call, blocks or error")
    return Turn(blocks, stop_reason=row.get("stop_reason"), fault=fault)


def _short_form(row: JSON) -> list[JSON]:
    if "say" in row:
        return [{"text": row["say"]}]
    if "call" in row:
        before = [{"text": row["text"]}] if row.get("text") else []
        return [*before, {"call": row["call"], "input": row.get("input", {})}]
    return []


def _block(index: int, row: JSON) -> Block:
    if "call" in row:
        return ToolUse(row["call"], row.get("input", {}), row.get("id", ""), row.get("raw"))
    if "thinking" in row:
        return Thinking(row["thinking"], redacted=bool(row.get("redacted")))
    if "text" in row:
        return Text(row["text"])
    raise ValueError(f"turn {index}: a block has text, thinking or call, not {sorted(row)}")


def _error(index: int, name: str, row: JSON) -> ApiError:
    if name == "overloaded":
        return overloaded()
    if name == "rate_limited":
        return rate_limited(float(row.get("retry_after", 1)))
    if name == "bad_key":
        return bad_key()
    raise ValueError(f"turn {index}: unknown error {name!r}")
