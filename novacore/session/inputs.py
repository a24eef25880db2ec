"""What a turn takes in beside the model's answers: the user's words, memory, instructions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from novacore.config.folders import config_dir
from novacore.engine.frames import frame
from novacore.engine.manifest import plugin_row
from novacore.engine.recall import RecalledItem
from novacore.host import Answer
from novacore.session.parts import SessionParts
from novacore.session.record import Record
from novacore.tokens import estimate
from novacore.types import (
    Event,
    InstructionsRequest,
    RecallRequest,
    ToolInfo,
    ToolSpec,
    ToolsRequest,
)

ASKED_CHARS = 20_000
"""Of the user's text as a question to memory; what is longer is a paste."""


def user_data(text: str, parts: SessionParts) -> dict[str, Any]:
    """The data of a ``user`` event; a very large paste becomes an artifact and a stub."""
    from novacore.engine.spill import limits_for, spill_paste

    clean = text.encode("utf-8", "replace").decode("utf-8")
    masked = parts.context.masker.mask(clean).text
    shown, artifact = spill_paste(
        masked,
        limits_for(parts.spill, parts.budget.scale),
        parts.folder.artifacts,
        offered_tools=frozenset(parts.tools),
        key=parts.key,
    )
    return {"text": shown, "source": "typed", **({"pasted": artifact} if artifact else {})}


def recall_request(text: str, record: Record, parts: SessionParts) -> RecallRequest:
    """The question to memory that the user's message raises."""
    state = record.state
    doing = next((item.text for item in state.plan if item.status == "doing"), "")
    return RecallRequest(
        session=parts.ref,
        occasion="message",
        text=parts.context.masker.mask(text[:ASKED_CHARS]).text,
        goal=state.goal.text if state.goal else "",
        plan_item=doing,
        paths=tuple(file.path for file in state.files[-10:]),
        language=state.reply_language,
        principal=parts.principal,
        roots=tuple(str(root) for root in parts.context.roots),
        limit=parts.recall_limit,
    )


def recalled_data(item: RecalledItem, parts: SessionParts) -> dict[str, Any]:
    """A recalled item for the log, framed as data with its citation id."""
    found = item.item
    citation = f"mem:{item.plugin}/{found.key}"
    body = f"[{citation}] {found.uri} {found.time}".rstrip() + f"\n{found.text}"
    return {
        "key": found.key,
        "plugin": item.plugin,
        "uri": found.uri,
        "version": found.version,
        "time": found.time,
        "score": found.score,
        "framed": frame(body, kind="memory", fragment=citation, key=parts.key),
    }


def instructions_request(record: Record, parts: SessionParts) -> InstructionsRequest:
    """The folders whose rules apply now."""
    return InstructionsRequest(
        session=parts.ref,
        roots=tuple(str(root) for root in parts.context.roots),
        cwd=str(parts.cwd),
        touched=tuple(sorted({file.path for file in record.state.files})),
        principal=parts.principal,
        user=str(config_dir()),
        previous={
            id: str(known.get("source_version") or known.get("version", ""))
            for id, known in record.told.items()
        },
    )


def tools_request(record: Record, parts: SessionParts, spent_dollars: float) -> ToolsRequest:
    """Every tool that this session could offer, and what its definition costs."""
    calls = calls_by_tool(record.events)
    return ToolsRequest(
        session=parts.ref,
        tools=tuple(
            ToolInfo(
                name=tool.spec.name,
                tokens=definition_tokens(tool.spec),
                server=tool.spec.server,
                read_only=tool.spec.read_only,
                required=tool.spec.required,
                calls=calls.get(tool.spec.name, 0),
            )
            for tool in parts.tools.values()
        ),
        mode=parts.context.mode,
        task=record.state.goal.text if record.state.goal else "",
        token_budget=parts.budget.shares["tools"],
        spent=spent_dollars,
        spend_limit=parts.limits.dollars,
    )


def definition_tokens(tool: ToolSpec) -> int:
    """Estimated tokens of one tool definition."""
    schema = json.dumps(dict(tool.schema), ensure_ascii=False, separators=(",", ":"))
    return estimate(f"{tool.name} {tool.description}") + estimate(schema)


def plugin_rows(answers: Iterable[Answer]) -> list[dict[str, Any]]:
    """What each plugin made of a hook, for trace and manifest: a row for every call."""
    return [plugin_row(answer) for answer in answers]


def calls_by_tool(events: Iterable[Event]) -> Mapping[str, int]:
    """How often each tool was called in this session."""
    return Counter(str(e.data.get("name")) for e in events if e.kind == "tool_result")


def spent(events: Iterable[Event]) -> float:
    """What the session has cost so far, in dollars, every side call included."""
    return sum(float(e.data.get("dollars") or 0.0) for e in events if e.kind == "usage")


def usage_total(events: Iterable[Event], turn: int) -> dict[str, int]:
    """Tokens of all calls of one turn, side calls included."""
    names = ("uncached", "cache_read", "cache_write", "output")
    calls = [e.data for e in events if e.kind == "usage" and e.turn == turn]
    return {name: sum(int(data.get(name) or 0) for data in calls) for name in names}
