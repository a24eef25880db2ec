"""The values that the host takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["active", "disabled", "failed", "hung", "incompatible", "found"]
"""``found``: an entry point that was not loaded, since nobody asked for that."""

Reason = Literal[
    "raised",  # the plugin's code raised, whatever it raised
    "deadline",  # no answer in time; the plugin is hung for the session
    "busy",  # its thread was still at another call when the deadline passed
    "refused",  # the answer breaks its hook's contract
    "late",  # an answer after the deadline, dropped
    "hung",  # not asked: an earlier call never came back
    "off",  # not asked: three faults in a row
    "unfinished",  # still at work when NovaCore ended
    "stray",  # raised in a task that the plugin started by itself
    "load",  # import, registration, construction or start
]

DEADLINES: Mapping[str, float] = {
    "spill": 1.0,
    "compact": 60.0,
    "recall": 8.0,
    "inject_instructions": 2.0,
    "select_tools": 1.0,
}
"""Seconds that a plugin has for a hook. The hooks' own docstrings say the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConfig:
    """What the user says about plugins; a workspace has no say in any of it."""

    disabled: tuple[str, ...] = ()
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By hook: the plugins asked first; others follow by name, built-in ones last."""
    required: tuple[str, ...] = ()
    """Plugins whose failure is fatal."""
    on_fault: Mapping[str, str] = field(default_factory=dict)
    """By hook: ``refuse`` stops the turn at a fault; anything else goes on without the plugin."""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By plugin: its own settings, validated by its ``Config``."""
    deadlines: Mapping[str, float] = field(default_factory=dict)
    """Seconds by hook, and for ``import`` (10) and ``start`` (2); else the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginStatus:
    """Why a plugin is, or is not, in use."""

    name: str
    state: State
    source: str
    """The distribution and its version, or where the entry point leads."""
    hooks: tuple[str, ...] = ()
    order: Mapping[str, int] = field(default_factory=dict)
    """By hook: its place among the plugins that answer it, from 1."""
    import_ms: float = 0.0
    faults: int = 0
    """Recorded in the last 30 days, by every session of this state folder."""
    last_fault: str = ""
    detail: str = ""
    """For a state other than active: why, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that a plugin did wrong, or did not do. ``time`` is ISO 8601 in UTC."""

    plugin: str
    hook: str
    reason: Reason
    detail: str
    time: str
    session: str = ""
    turn: int = 0
    ms: float = 0.0
    trace: str = ""
    """The last frames of the traceback, for the plugin's author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one plugin made of one request: a value, None for no opinion, or a fault."""

    plugin: str
    hook: str
    value: Any = None
    fault: Fault | None = None
    ms: float = 0.0
    instead_of: tuple[str, ...] = ()
    """Plugins that were asked before this one and failed."""
    fatal: bool = False
    """The user requires this plugin, or refuses to go on after a fault of this hook."""
