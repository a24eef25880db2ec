"""Every tool_use is answered in the next message: first, and exactly once.

Texts: anthropics/claude-code#3512 and #5989 (ids found without results), decocms/studio#1803.
"""

from __future__ import annotations

from typing import Any

from fakellm.errors import ApiError, invalid
from fakellm.prompt import blocks_of

Body = dict[str, Any]


def check_pairs(messages: list[Body]) -> None:
    """Raise for an unanswered call, an orphan or double result, a double id, a late result."""
    contents = [blocks_of(m.get("content")) for m in messages]
    seen: set[str] = set()
    for i, blocks in enumerate(contents):
        asked = _uses(blocks)
        if asked and messages[i]["role"] != "assistant":
            raise invalid(f"messages.{i}: `tool_use` blocks can only be in `assistant` messages")
        if len(set(asked)) != len(asked) or seen & set(asked):
            raise invalid(f"messages.{i}: `tool_use` ids must be unique")
        seen |= set(asked)
        _check_orphans(i, blocks, _uses(contents[i - 1]) if i else [])
        if asked:
            _check_answers(i, asked, contents[i + 1] if i + 1 < len(contents) else [])


def _check_orphans(index: int, blocks: list[Body], before: list[str]) -> None:
    for j, block in enumerate(blocks):
        if block.get("type") == "tool_result" and block.get("tool_use_id") not in before:
            raise invalid(
                f"messages.{index}.content.{j}: unexpected `tool_use_id` found in `tool_result` "
                f"blocks: {block.get('tool_use_id')}. Each `tool_result` block must have a "
                "corresponding `tool_use` block in the previous message."
            )


def _check_answers(index: int, asked: list[str], following: list[Body]) -> None:
    answers = _leading_results(following)
    if missing := [i for i in asked if i not in answers]:
        raise _unanswered(index, missing)
    every = [b.get("tool_use_id") for b in following if b.get("type") == "tool_result"]
    if doubled := [i for i in asked if every.count(i) > 1]:
        raise invalid(
            f"messages.{index + 1}.content: each tool_use must have a single result. "
            f"Found multiple `tool_result` blocks with id: {doubled[0]}"
        )


def _unanswered(index: int, ids: list[str]) -> ApiError:
    return invalid(
        f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately "
        f"after: {', '.join(ids)}. Each `tool_use` block must have a corresponding `tool_result` "
        "block in the next message."
    )


def _uses(blocks: list[Body]) -> list[str]:
    return [b["id"] for b in blocks if b.get("type") == "tool_use"]


def _leading_results(blocks: list[Body]) -> list[str]:
    """Ids of the results at the front; a text before a result hides it."""
    ids: list[str] = []
    for block in blocks:
        if block.get("type") != "tool_result":
            break
        ids.append(block["tool_use_id"])
    return ids
