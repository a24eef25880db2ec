"""The labels of each kind of record: what it is, how far it is trusted, how long it stays.

Only the host labels; a plugin's answer carries none of these. One table, so that a person can see
at a glance what an event may become.
"""

from __future__ import annotations

from dataclasses import dataclass

from novacore.types import Authority, Disposition, Kind, Lifetime, Region, Trust


@dataclass(frozen=True, slots=True)
class Labels:
    """Everything about a fragment that its source alone decides."""

    kind: Kind
    authority: Authority
    trust: Trust
    lifetime: Lifetime
    disposition: Disposition
    region: Region


USER = Labels(
    Kind.CHAT,
    Authority.EXPLICIT_DECISION,
    Trust.USER,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.HISTORY,
)
ASSISTANT = Labels(
    Kind.CHAT,
    Authority.CASUAL,
    Trust.MODEL,
    Lifetime.TASK,
    Disposition.COMPRESSIBLE,
    Region.HISTORY,
)
CALL = Labels(
    Kind.OBSERVATION,
    Authority.CASUAL,
    Trust.MODEL,
    Lifetime.TASK,
    Disposition.COMPRESSIBLE,
    Region.HISTORY,
)
RESULT = Labels(
    Kind.EVIDENCE,
    Authority.PROJECT_STATE,
    Trust.TOOL,
    Lifetime.PHASE,
    Disposition.EVICTABLE,
    Region.EVIDENCE,
)
INSTRUCTION = Labels(
    Kind.INSTRUCTION,
    Authority.HARD_CONSTRAINT,
    Trust.PROJECT,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.BASELINE,
)
ENVIRONMENT = Labels(
    Kind.FACT,
    Authority.PROJECT_STATE,
    Trust.SYSTEM,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.BASELINE,
)
UNTRUSTED_INSTRUCTION = Labels(
    Kind.OBSERVATION,
    Authority.CASUAL,
    Trust.UNTRUSTED,
    Lifetime.SESSION,
    Disposition.COMPRESSIBLE,
    Region.BASELINE,
)
MEMORY = Labels(
    Kind.MEMORY,
    Authority.HISTORICAL_FACT,
    Trust.UNTRUSTED,
    Lifetime.TURN,
    Disposition.RECALLED,
    Region.MEMORY,
)
RESTATEMENT = Labels(
    Kind.TASK_STATE,
    Authority.EXPLICIT_DECISION,
    Trust.USER,
    Lifetime.TURN,
    Disposition.COMPRESSIBLE,
    Region.RESTATEMENT,
)
NOTICE = Labels(
    Kind.TASK_STATE,
    Authority.PROJECT_STATE,
    Trust.SYSTEM,
    Lifetime.TASK,
    Disposition.COMPRESSIBLE,
    Region.HISTORY,
)
SUMMARY = Labels(
    Kind.TASK_STATE,
    Authority.PROJECT_STATE,
    Trust.UNTRUSTED,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.SUMMARY,
)
RECOVERY = Labels(
    Kind.EVIDENCE,
    Authority.PROJECT_STATE,
    Trust.TOOL,
    Lifetime.PHASE,
    Disposition.EVICTABLE,
    Region.RECOVERY,
)
TOOL_DEFINITION = Labels(
    Kind.TOOL,
    Authority.HARD_CONSTRAINT,
    Trust.SYSTEM,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.TOOLS,
)
SYSTEM = Labels(
    Kind.INSTRUCTION,
    Authority.HARD_CONSTRAINT,
    Trust.SYSTEM,
    Lifetime.PERMANENT,
    Disposition.PINNED,
    Region.SYSTEM,
)

UPDATES = {
    "baseline": INSTRUCTION,
    "diff": INSTRUCTION,
    "restatement": RESTATEMENT,
    "mode": NOTICE,
    "notice": NOTICE,
}
SECTIONS = {
    "instructions": INSTRUCTION,
    "environment": ENVIRONMENT,
    "permissions": ENVIRONMENT,
    "untrusted": UNTRUSTED_INSTRUCTION,
}
