"""Every setting, as a table: type, who may set it, default, and what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict

from novacore.types import Mode

HookName = Literal["spill", "compact", "recall", "inject_instructions", "select_tools"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Who may set a key, and what a project file does to it.

    ``project`` keys may stand in a project's file too. ``add``: every layer adds to the list, none
    takes away. ``lower``: a project may lower the number, never raise it.
    """

    who: Literal["user", "machine", "project"]
    merge: Literal["replace", "add", "lower"] = "replace"


USER, MACHINE, PROJECT = Scope("user"), Scope("machine"), Scope("project")
PROJECT_ADDS, PROJECT_LOWERS = Scope("project", "add"), Scope("project", "lower")


def _none(value: Any) -> Any:
    # TOML has no null, and an environment variable neither.
    return None if value == "none" else value


def _patterns(values: tuple[str, ...]) -> tuple[str, ...]:
    from pathspec import GitIgnoreSpec

    for value in values:
        try:
            GitIgnoreSpec.from_lines([value])
        except (ValueError, re.error) as error:
            raise ValueError(f"should be .gitignore patterns: {error}") from error
    return values


def _below(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if not value or value.startswith(("/", "~")) or ".." in value.split("/") or "\0" in value:
            raise ValueError("should be names of files, none outside the folder")
    return values


Names = Annotated[tuple[str, ...], Strict(False)]
Patterns = Annotated[tuple[str, ...], Strict(False), AfterValidator(_patterns)]
FileNames = Annotated[Patterns, AfterValidator(_below)]
OrNone = BeforeValidator(_none)
Count = Annotated[int, Field(ge=1)]
Dollars = Annotated[float, Field(ge=0)]


class _Table(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )


class Models(_Table):
    """Names for models."""

    default: Annotated[str, USER] = "sonnet"
    """What `auto` means when a key is present: an alias, `provider/model`, or a model's name."""
    aliases: Annotated[dict[str, str], PROJECT] = {
        "haiku": "anthropic/claude-haiku-5-5",
        "opus": "anthropic/claude-opus-5-5",
        "sonnet": "anthropic/claude-sonnet-5-5",
        "navigator": "navigator/navigator",
    }
    """Short names for `provider/model`. Model names: the anthropic SDK 2.14."""


class Anthropic(_Table):
    """The Anthropic endpoint."""

    base_url: Annotated[str, MACHINE] = ""
    """Address of the endpoint; empty: the SDK's own. `ANTHROPIC_BASE_URL` of your shell sets it."""
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$"), MACHINE] = (
        "ANTHROPIC_API_KEY"
    )
    """Name of the environment variable that holds the key. The key itself is no setting."""
    headers: Annotated[dict[str, str], MACHINE] = {}
    """Extra headers of every request; their values are never shown."""
    timeout: Annotated[float, Field(gt=0), MACHINE] = 600.0
    """Seconds without an answer before a request is given up. Default: the SDK's."""


class Providers(_Table):
    """Where models are reached."""

    anthropic: Anthropic = Anthropic()


class Limits(_Table):
    """What ends a turn."""

    steps: Annotated[Count, PROJECT_LOWERS] = 200
    """Model calls of one turn."""
    dollars: Annotated[Dollars | None, OrNone, PROJECT_LOWERS] = None
    """Cost of one session in US dollars, side calls included; `none`: no limit."""


class Window(_Table):
    """How much of a model's window is used."""

    tokens: Annotated[dict[str, Count], MACHINE] = {}
    """Window in tokens by model, where the endpoint does not say it right."""
    soft_cap: Annotated[Annotated[int, Field(ge=16_000)] | None, OrNone, PROJECT] = 200_000
    """Tokens of the window that are used where it is larger; `none`: all, at its cost."""
    scale: Annotated[float, Field(ge=1, le=10), PROJECT] = 2.0
    """Tail and spill limits grow with the window (in units of 200,000 tokens) up to this factor."""


class Spill(_Table):
    """What leaves a message for a file."""

    result_chars: Annotated[Count, PROJECT] = 50_000
    """One tool result over this many characters is spilled."""
    result_tokens: Annotated[Count, PROJECT] = 12_500
    """One tool result over this many estimated tokens is spilled."""
    message_chars: Annotated[Count, PROJECT] = 200_000
    """A message over this many characters is spilled, largest result first."""
    message_tokens: Annotated[Count, PROJECT] = 50_000
    """A message over this many estimated tokens is spilled, largest result first."""
    log_tokens: Annotated[Count, PROJECT] = 1_500
    """A command's log over this many estimated tokens is kept in a file, an excerpt shown."""
    to_disk: Annotated[bool, USER] = True
    """Keep spilled text in files of the session; false: in memory only."""
    retention_days: Annotated[Count, USER] = 30
    """Days after which spilled text and snapshots may be deleted."""


class Plugins(_Table):
    """Which plugins answer, and in which order."""

    disabled: Annotated[Names, USER] = ()
    """Plugins that are not loaded."""
    order: Annotated[dict[HookName, Names], USER] = {}
    """By hook: the plugins asked first; others follow by name, built-in ones last."""
    required: Annotated[Names, USER] = ()
    """Plugins whose failure ends the turn."""
    on_fault: Annotated[dict[HookName, Literal["continue", "refuse"]], USER] = {}
    """By hook: `refuse` stops the turn when a plugin fails; else the next one answers."""
    options: Annotated[dict[str, dict[str, Any]], USER] = {}
    """By plugin: its own settings."""


class Recall(_Table):
    """How memory is asked."""

    wait_ms: Annotated[int, Field(ge=0, le=3_000), USER] = 50
    """Milliseconds that a turn waits for recall; later answers join the next request."""
    wait_ms_of: Annotated[dict[str, Annotated[int, Field(ge=0, le=3_000)]], USER] = {}
    """By plugin: milliseconds that a turn waits for it instead."""
    limit: Annotated[int, Field(ge=0, le=50), PROJECT] = 5
    """Most memories that enter with one message."""


class Instructions(_Table):
    """Which instruction files are read; handed to the plugin ``instructions`` as its settings."""

    names: Annotated[FileNames, PROJECT] = ("AGENTS.md", "CLAUDE.md")
    """File names; the first of them that a folder has is its rules."""
    local_names: Annotated[FileNames, PROJECT] = ("AGENTS.local.md",)
    """The personal override beside it."""
    file_bytes: Annotated[int, Field(ge=1_000), PROJECT] = 32_768
    """Bytes of one file that are used; the rest is cut at a line end, with a warning."""
    total_bytes: Annotated[int, Field(ge=1_000), PROJECT] = 65_536
    """Bytes of all files together; the least specific is cut first."""


class Permissions(_Table):
    """Rules that answer permission questions. Only you can allow; anyone may forbid."""

    allow: Annotated[Names, USER] = ()
    """Commands that run without asking, each part of a compound command judged by itself."""
    deny: Annotated[Names, PROJECT_ADDS] = ()
    """Commands that never run. Every layer adds to this list."""
    deny_paths: Annotated[Patterns, PROJECT_ADDS] = ()
    """Paths that no tool opens, as in .gitignore. Every layer adds to this list."""


class ModelPrice(_Table):
    """US dollars for a million tokens of one model."""

    uncached: Dollars
    cache_read: Dollars
    cache_write: Dollars
    cache_write_1h: Dollars
    output: Dollars


class Settings(_Table):
    """The whole configuration. Frozen; ``load`` makes it."""

    model: Annotated[str, USER] = "auto"
    """Model that answers: an alias, `provider/model`, a model's name, or `auto`."""
    mode: Annotated[Mode, USER] = "ask"
    """What needs a question: `read-only`, `ask`, `accept-edits`."""
    models: Models = Models()
    providers: Providers = Providers()
    limits: Limits = Limits()
    window: Window = Window()
    spill: Spill = Spill()
    plugins: Plugins = Plugins()
    recall: Recall = Recall()
    instructions: Instructions = Instructions()
    permissions: Permissions = Permissions()
    ignore: Annotated[Patterns, PROJECT_ADDS] = ()
    """Paths that searches and listings leave out, as in .gitignore. Every layer adds."""
    prices: Annotated[dict[str, ModelPrice], USER] = {}
    """By model: prices that replace the built-in ones."""
