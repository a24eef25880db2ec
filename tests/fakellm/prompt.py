"""A request as the model reads it: its blocks in order, in one canonical form, marks aside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]

CACHE_MARK = "cache_control"


@dataclass(frozen=True)
class Placed:
    """One block and where it stands: ``tools.0``, ``system.1``, ``messages.3.content.2``."""

    place: str
    role: str
    block: Body


def blocks_of(content: Any) -> list[Body]:
    """The blocks of a system prompt, a message or a tool result; a string is one text block."""
    if not content:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def placed_blocks(body: Body) -> Iterator[Placed]:
    """Every block of a Messages request in the order tools, system, messages."""
    for i, tool in enumerate(body.get("tools") or []):
        yield Placed(f"tools.{i}", "tools", tool)
    for i, block in enumerate(blocks_of(body.get("system"))):
        yield Placed(f"system.{i}", "system", block)
    for i, message in enumerate(body.get("messages") or []):
        for j, block in enumerate(blocks_of(message.get("content"))):
            yield Placed(f"messages.{i}.content.{j}", message["role"], block)


def unmarked(block: Body) -> Body:
    """A copy without cache marks, at the top and inside a tool result."""
    bare = {k: v for k, v in block.items() if k != CACHE_MARK}
    if bare.get("type") == "tool_result":
        bare["content"] = [unmarked(inner) for inner in blocks_of(bare.get("content"))]
    return bare


def canonical(value: Any) -> str:
    """JSON text for counting and comparing. Key order counts: the real cache matches bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rendered(body: Body) -> bytes:
    """All blocks, marks aside, so that a request that appends has its predecessor as prefix."""
    lines = (f"{p.role} {canonical(unmarked(p.block))}\n" for p in placed_blocks(body))
    return "".join(lines).encode("utf-8", "surrogatepass")


def common_prefix(a: bytes, b: bytes) -> int:
    """Length in bytes of the prefix that ``a`` and ``b`` share, found by halving."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low
