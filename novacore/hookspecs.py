"""The five hooks. Each takes one request and gives one value; its docstring is the contract.

``Hooks`` is both the specification and the base class of a plugin: a method that overrides one of
these is an implementation. Any hook may be ``def`` or ``async def``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any

from novacore.types import (
    Compaction,
    CompactRequest,
    InstructionsRequest,
    Recalled,
    RecallRequest,
    Section,
    SpillPlan,
    SpillRequest,
    ToolChoice,
    ToolsRequest,
)

API_VERSION = (1, 0)
ENTRY_POINT_GROUP = "novacore.plugins.v1"
HOOK_NAMES = ("spill", "compact", "recall", "inject_instructions", "select_tools")


class Hooks:
    """Base class of every plugin; override the hooks that you have an opinion on.

    ``api`` is the version of the hooks that the plugin was written for; ``Config`` is a pydantic
    model of its settings, or None. A plugin is built on a thread of its own by
    ``cls(config, services)`` and lives there: no I/O in ``__init__``.
    """

    api: tuple[int, int] = (1, 0)
    Config: type[Any] | None = None

    def spill(self, request: SpillRequest) -> SpillPlan | Awaitable[SpillPlan | None] | None:
        """Choose outputs to move out of the message, and the lines to show of each.

        The host renders the stub from the ranges, drops exempt ids, and tops up until every limit
        holds. None: no opinion. Deadline 1 s.

        Merge: the first plan per output, in the configured order.
        """
        raise NotImplementedError

    def compact(self, request: CompactRequest) -> Compaction | Awaitable[Compaction | None] | None:
        """Propose what stands for the span before a cut.

        The host verifies the proposal and carries it out; a refused one is asked for again once,
        with ``attempt`` saying why. Deadline 60 s.

        Merge: the first proposal that the host accepts; the deterministic built-in is last.
        """
        raise NotImplementedError

    def recall(
        self, request: RecallRequest
    ) -> Sequence[Recalled] | Awaitable[Sequence[Recalled] | None] | None:
        """Return what is remembered and bears on the occasion, at most ``request.limit``.

        Runs beside the turn: it waits 50 ms, later answers join the next request. Deadline 8 s.

        Merge: all; filtered by permission, ranked, deduplicated, budgeted.
        """
        raise NotImplementedError

    def inject_instructions(
        self, request: InstructionsRequest
    ) -> Sequence[Section] | Awaitable[Sequence[Section] | None] | None:
        """Return the rules that hold for the working directory and the touched files.

        Equal files give equal bytes. None keeps this plugin's last sections, ``()`` says that there
        are none. A fault keeps the last good sections, marked stale. Deadline 2 s.

        Merge: all, least specific first.
        """
        raise NotImplementedError

    def select_tools(
        self, request: ToolsRequest
    ) -> ToolChoice | Awaitable[ToolChoice | None] | None:
        """Keep, defer or hide tools for the coming epoch; asked at boundaries only.

        A required tool is never hidden or deferred, and none is added. Deadline 1 s.

        Merge: hide over keep over defer.
        """
        raise NotImplementedError
