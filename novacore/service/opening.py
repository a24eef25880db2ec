"""The composition root: wires a host, and sessions over it."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from novacore.config.folders import cache_dir, config_dir, vocabularies
from novacore.config.load import api_key
from novacore.config.models import ModelChoice, choose_model
from novacore.engine.budget import Budget, budget_for
from novacore.errors import BadCredentials, StoreError, UsageError
from novacore.host import Host, HostConfig
from novacore.models import provider as make_provider
from novacore.models.prices import price_of
from novacore.models.usage import cost
from novacore.service.api import ServiceOptions
from novacore.service.plugin_services import PluginServices
from novacore.service.reads import CodeReads
from novacore.service.workspace import FAULTS_FILE, Workspace
from novacore.session.parts import Limits, SessionParts
from novacore.store.folder import SessionFolder
from novacore.store.memory import memory_places
from novacore.store.past import PastIndex
from novacore.tokens import TokenCounter, counter_at_hand
from novacore.tools.context import ToolContext
from novacore.tools.ledger import ReadLedger
from novacore.tools.permission_store import RecordedRules
from novacore.tools.permissions import Permissions, Rules
from novacore.tools.registry import built_in_tools
from novacore.tools.secrets import Masker
from novacore.trace import Trace
from novacore.types import (
    Mode,
    ModelInfo,
    ModelProvider,
    Price,
    SessionRef,
    SpillLimits,
    Trust,
    Usage,
)

if TYPE_CHECKING:
    from novacore.config.settings import Settings
    from novacore.session.session import Session

RULES_FILE = "permissions.json"


def past_index(workspace: Workspace) -> PastIndex:
    """Full-text search over this person's sessions and memory of this repository."""
    return PastIndex(
        cache=cache_dir(),
        state=workspace.state,
        principal=workspace.principal,
        repository=workspace.repository,
        places=memory_places(
            config=config_dir(),
            state=workspace.state,
            repository=workspace.repository,
            root=workspace.root,
            workspace=Trust.PROJECT if workspace.trusted else Trust.UNTRUSTED,
        ),
    )


def make_host(
    workspace: Workspace,
    past: PastIndex,
    on_usage: Callable[[str, Mapping[str, Any], float | None], None],
) -> Host:
    """The plugin host of this workspace, not loaded yet."""
    code = CodeReads(workspace.policy(), root=workspace.root, cwd=workspace.root)

    def services(name: str) -> PluginServices:
        return PluginServices(
            name,
            state=workspace.state,
            code=code,
            past=past,
            on_usage=on_usage,
        )

    masker = Masker(os.urandom(32), known=[api_key(workspace.settings)])
    return Host(
        host_config(workspace),
        services,
        faults_file=workspace.state / FAULTS_FILE,
        roots=untrusted_roots(workspace),
        mask=lambda text: masker.mask(text).text,
    )


def untrusted_roots(workspace: Workspace) -> tuple[Path, ...]:
    """Folders that nothing may be loaded from."""
    return () if workspace.trusted else (workspace.root,)


def host_config(workspace: Workspace) -> HostConfig:
    """What the user says about plugins."""
    settings = workspace.settings.plugins
    options = dict(settings.options)
    # A project may set the table [instructions]; what the user says of the plugin stands above it.
    own = options.get("instructions", {})
    options["instructions"] = workspace.settings.instructions.model_dump() | own
    return HostConfig(
        disabled=tuple(settings.disabled),
        order={hook: tuple(names) for hook, names in settings.order.items()},
        required=tuple(settings.required),
        on_fault={str(hook): what for hook, what in settings.on_fault.items()},
        options=options,
    )


class Opener:
    """Opens sessions of one workspace with the models that the configuration names."""

    def __init__(
        self, options: ServiceOptions, workspace: Workspace, host: Host, past: PastIndex
    ) -> None:
        self._options = options
        self._workspace = workspace
        self._host = host
        self._past = past
        self._providers: dict[str, ModelProvider] = {}
        self._base: tuple[Callable[[str], int], str] | None = None
        self._looked = False

    async def new(self) -> Session:
        """A new session, with its first record on disk."""
        choice = self._choice("")
        model, info = await self._model(choice)
        space = self._workspace
        first = {
            "cwd": str(space.cwd),
            "roots": [str(space.root)],
            "repository": space.repository,
            "principal": space.principal,
            "model": f"{choice.provider}/{choice.model}",
            "provider": choice.provider,
            "mode": self._mode(""),
            "kind": "new",
            "trusted": space.trusted,
        }
        folder = SessionFolder.create(space.state, first, to_disk=space.settings.spill.to_disk)
        return await self._session(folder, model, info, "new")

    async def resume(self, id: str) -> Session:
        """A session of this principal, open for writing.

        Raises SessionNotFound, SessionLocked, and StoreError for a log that makes no sense.
        """
        space = self._workspace
        folder = SessionFolder.open(space.state, id, to_disk=space.settings.spill.to_disk)
        try:
            self._check_owner(folder)
            choice = self._choice(folder.meta.model)
            model, info = await self._model(choice)
            return await self._session(folder, model, info, "resumed")
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            folder.close()
            raise StoreError(
                f"the log of session {folder.id} holds a record that says nothing sensible"
                f" ({type(error).__name__}: {error}); start a new session, this one stays as it is"
            ) from error
        except BaseException:
            folder.close()
            raise

    async def aclose(self) -> None:
        """Close the providers."""
        for provider in self._providers.values():
            await provider.aclose()

    def _check_owner(self, folder: SessionFolder) -> None:
        meta = folder.meta
        if meta.principal and meta.principal != self._workspace.principal:
            raise UsageError(f"session {folder.id} belongs to {meta.principal}")
        if meta.repository and meta.repository != self._workspace.repository:
            if Path(meta.cwd).is_relative_to(self._workspace.root):
                raise UsageError(
                    f"session {folder.id} is of another repository that was here; read it with"
                    f" `novacore sessions show {folder.id}`, or ask in a new session"
                )
            raise UsageError(
                f"session {folder.id} belongs to {meta.cwd}: "
                f"continue it with --cwd {meta.cwd}, or ask in a new session"
            )

    def _choice(self, recorded: str) -> ModelChoice:
        asked = self._options.model or recorded
        return choose_model(self._workspace.settings, asked)

    def _mode(self, recorded: str) -> Mode:
        kept = cast(Mode, recorded) if recorded in get_args(Mode) else None
        return self._options.mode or kept or self._workspace.settings.mode

    async def _model(self, choice: ModelChoice) -> tuple[ModelProvider, ModelInfo]:
        provider = self._provider(choice.provider)
        return provider, await provider.info(choice.model)

    def _provider(self, name: str) -> ModelProvider:
        if name not in self._providers:
            settings = self._workspace.settings
            endpoint = settings.providers.anthropic
            key = api_key(settings)
            if name == "anthropic" and not key:
                raise BadCredentials(
                    f"no key: set {endpoint.api_key_env} in your shell, "
                    f"or use `--model navigator`, which needs none"
                )
            self._providers[name] = make_provider(
                name,
                base_url=endpoint.base_url,
                api_key=key,
                headers=endpoint.headers,
                timeout=endpoint.timeout,
                windows=settings.window.tokens,
            )
        return self._providers[name]

    async def _session(
        self, folder: SessionFolder, provider: ModelProvider, info: ModelInfo, kind: str
    ) -> Session:
        from novacore.session.session import Session

        settings = self._workspace.settings
        budget_of = functools.partial(_budget, settings)
        parts = SessionParts(
            ref=SessionRef(id=folder.id, kind="resumed" if kind == "resumed" else "new"),
            folder=folder,
            host=self._host,
            provider=provider,
            info=info,
            budget=budget_of(info),
            budget_of=budget_of,
            counter=await self._counter(info.id),
            cost=self._cost(info),
            tools=built_in_tools(),
            permissions=self._permissions(folder),
            context=self._context(folder),
            trace=Trace(folder.path / "trace.jsonl"),
            key=folder.key(),
            trusted=self._workspace.trusted,
            principal=self._workspace.principal,
            cwd=self._workspace.cwd,
            limits=Limits(steps=settings.limits.steps, dollars=settings.limits.dollars),
            spill=self._spill_limits(),
            recall_wait=settings.recall.wait_ms / 1000,
            recall_waits={name: ms / 1000 for name, ms in settings.recall.wait_ms_of.items()},
            recall_limit=settings.recall.limit,
            confirmed=self._confirmed,
        )
        session = Session(parts)
        await session.open()
        return session

    async def _counter(self, model: str) -> TokenCounter:
        """By the exact vocabulary where its file is at hand, which takes half a second to load."""
        if not self._looked:
            self._base = await asyncio.to_thread(counter_at_hand, vocabularies())
            self._looked = True
        if self._base is None:
            return TokenCounter(model)
        count, name = self._base
        return TokenCounter(model, base=count, name=name)

    def _confirmed(self, path: str) -> bool | None:
        space = self._workspace
        return space.trust_store().holds(space.root, space.root / path)

    def _cost(self, info: ModelInfo) -> Callable[[Usage], float | None]:
        own = self._workspace.settings.prices
        overrides = {model: Price(**row.model_dump()) for model, row in own.items()}
        return lambda usage: cost(usage, price_of(info.id, usage, overrides=overrides))

    def _permissions(self, folder: SessionFolder) -> Permissions:
        rules = self._workspace.settings.permissions
        root = self._workspace.root
        recorded = RecordedRules(self._workspace.state / RULES_FILE)
        masker = Masker(folder.key(), known=[api_key(self._workspace.settings)])
        return Permissions(
            self._mode(folder.meta.mode),
            Rules(allow=(*rules.allow, *recorded.rules(root)), deny=tuple(rules.deny)),
            self._options.assume_yes,
            persist=lambda rule: recorded.record(root, rule),
            is_secret=lambda text: bool(masker.mask(text).counts),
        )

    def _context(self, folder: SessionFolder) -> ToolContext:
        space = self._workspace
        return ToolContext(
            session_id=folder.id,
            cwd=space.cwd,
            roots=(space.root,),
            policy=space.policy(folder.artifacts.folder),
            masker=Masker(folder.key(), known=[api_key(space.settings)]),
            trusted=space.trusted,
            artifacts=folder.artifacts,
            ledger=ReadLedger(),
            past=self._past,
            principal=space.principal,
            mode=self._mode(folder.meta.mode),
        )

    def _spill_limits(self) -> SpillLimits:
        spill = self._workspace.settings.spill
        return SpillLimits(
            result_chars=spill.result_chars,
            result_tokens=spill.result_tokens,
            message_chars=spill.message_chars,
            message_tokens=spill.message_tokens,
            log_tokens=spill.log_tokens,
        )


def _budget(settings: Settings, info: ModelInfo) -> Budget:
    return budget_for(
        info.window,
        max_output=info.max_output,
        soft_cap=settings.window.soft_cap,
        scale_with_window=settings.window.scale,
    )
