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
    access: str
    """Permission domain, and what granted it."""


USER = Labels(
    Kind.CHAT,
    Authority.EXPLICIT_DECISION,
    Trust.USER,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.HISTORY,
    "session: the user's own words",
)
ASSISTANT = Labels(
    Kind.CHAT,
    Authority.CASUAL,
    Trust.MODEL,
    Lifetime.TASK,
    Disposition.COMPRESSIBLE,
    Region.HISTORY,
    "session: the model's own words",
)
CALL = Labels(
    Kind.OBSERVATION,
    Authority.CASUAL,
    Trust.MODEL,
    Lifetime.TASK,
    Disposition.COMPRESSIBLE,
    Region.HISTORY,
    "session: the model's own words",
)
RESULT = Labels(
    Kind.EVIDENCE,
    Authority.PROJECT_STATE,
    Trust.TOOL,
    Lifetime.PHASE,
    Disposition.EVICTABLE,
    Region.EVIDENCE,
    "workspace: the path policy allows it",
)
INSTRUCTION = Labels(
    Kind.INSTRUCTION,
    Authority.HARD_CONSTRAINT,
    Trust.PROJECT,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.BASELINE,
    "workspace or user: trusted by the user",
)
ENVIRONMENT = Labels(
    Kind.FACT,
    Authority.PROJECT_STATE,
    Trust.SYSTEM,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.BASELINE,
    "host: told to every session here",
)
UNTRUSTED_INSTRUCTION = Labels(
    Kind.OBSERVATION,
    Authority.CASUAL,
    Trust.UNTRUSTED,
    Lifetime.SESSION,
    Disposition.COMPRESSIBLE,
    Region.BASELINE,
    "workspace: not trusted, read as data",
)
MEMORY = Labels(
    Kind.MEMORY,
    Authority.HISTORICAL_FACT,
    Trust.UNTRUSTED,
    Lifetime.TURN,
    Disposition.RECALLED,
    Region.MEMORY,
    "user: own sessions and memory of this repository",
)
RESTATEMENT = Labels(
    Kind.TASK_STATE,
    Authority.EXPLICIT_DECISION,
    Trust.USER,
    Lifetime.TURN,
    Disposition.COMPRESSIBLE,
    Region.RESTATEMENT,
    "session: the user's own words",
)
NOTICE = Labels(
    Kind.TASK_STATE,
    Authority.PROJECT_STATE,
    Trust.SYSTEM,
    Lifetime.TASK,
    Disposition.COMPRESSIBLE,
    Region.HISTORY,
    "host: told to this session",
)
SUMMARY = Labels(
    Kind.TASK_STATE,
    Authority.PROJECT_STATE,
    Trust.UNTRUSTED,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.SUMMARY,
    "session: derived from its own events",
)
RECOVERY = Labels(
    Kind.EVIDENCE,
    Authority.PROJECT_STATE,
    Trust.TOOL,
    Lifetime.PHASE,
    Disposition.EVICTABLE,
    Region.RECOVERY,
    "workspace: checked again at the compaction",
)
TOOL_DEFINITION = Labels(
    Kind.TOOL,
    Authority.HARD_CONSTRAINT,
    Trust.SYSTEM,
    Lifetime.SESSION,
    Disposition.PINNED,
    Region.TOOLS,
    "host: told to every session",
)
SYSTEM = Labels(
    Kind.INSTRUCTION,
    Authority.HARD_CONSTRAINT,
    Trust.SYSTEM,
    Lifetime.PERMANENT,
    Disposition.PINNED,
    Region.SYSTEM,
    "host: told to every session",
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
