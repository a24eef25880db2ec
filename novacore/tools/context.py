"""What a tool is, and what it is given to work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from novacore.types import (
    Mode,
    PermissionQuestion,
    PlanItem,
    ToolCall,
    ToolOutcome,
    ToolSpec,
)

if TYPE_CHECKING:
    from novacore.services import PastReader
    from novacore.store.artifacts import ArtifactStore
    from novacore.tools.ledger import ReadLedger
    from novacore.tools.paths import PathPolicy
    from novacore.tools.secrets import Masker


@dataclass(slots=True)
class ToolContext:
    """One session's side of every tool call."""

    session_id: str
    cwd: Path
    roots: tuple[Path, ...]
    """Real paths; the first one is the workspace."""
    policy: PathPolicy
    masker: Masker
    artifacts: ArtifactStore
    ledger: ReadLedger
    past: PastReader
    principal: str = ""
    mode: Mode = "ask"
    plan: tuple[PlanItem, ...] = ()
    trusted: bool = False
    """Whether the user trusts the workspace; commands get a safer environment where not."""
    open_event: Callable[[str, str], str | None] = field(default=lambda session, event: None)
    """The text of an event by session ("" for this one) and id; None when there is no such event
    that the principal may see."""
    progress: Callable[[str, str], None] = field(default=lambda call_id, text: None)
    """Called with a call's id and new output while it runs."""


class Tool(Protocol):
    """A tool that the agent may call."""

    spec: ToolSpec

    def question(
        self, call: ToolCall, context: ToolContext
    ) -> PermissionQuestion | ToolOutcome | None:
        """What a person must be asked first; an outcome when the call cannot run at all.

        None: it may run without asking.
        """
        ...

    async def run(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Carry the call out. Expected failures are outcomes, not exceptions."""
        ...
