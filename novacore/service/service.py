"""The application service: the one door that every front end uses. It decides; they show."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from novacore.errors import SessionNotFound, UsageError
from novacore.service.api import (
    Check,
    ConfigValue,
    Removed,
    ServiceOptions,
    SessionInfo,
    TrustEntry,
    TurnEvent,
)
from novacore.service.contexts import manifest
from novacore.service.reads import MAX_TOKENS, CodeReads
from novacore.service.turns import TurnRun
from novacore.service.workspace import FAULTS_FILE, Workspace, open_workspace, root_of
from novacore.tools.processes import kill_all
from novacore.tools.trust import Trusted, TrustStore
from novacore.types import Event, Hits, Mode, Outline, PermissionAnswer, ReadResult

if TYPE_CHECKING:
    from novacore.host import Host, PluginStatus
    from novacore.service.opening import Opener
    from novacore.session.session import Session
    from novacore.store.folder import SessionFolder
    from novacore.store.meta import SessionMeta
    from novacore.store.past import PastIndex


class Service:
    """``async with Service(options) as service``. Errors are ``novacore.errors``, one line each.

    Reading and listing need no plugin and no model; those start with the first session.
    """

    def __init__(self, options: ServiceOptions) -> None:
        self._options = options
        self._workspace: Workspace | None = None
        self._host: Host | None = None
        self._opener: Opener | None = None
        self._past: PastIndex | None = None
        self._sessions: dict[str, Session] = {}
        self._running: dict[str, TurnRun] = {}
        self.losses: list[str] = []
        """After closing: what the disk never took, a line for each session."""
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> Self:
        self._workspace = open_workspace(self._options)
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End plugins, providers and locks. Running turns are cancelled first."""
        for run in list(self._running.values()):
            await run.stopped()
        for session in self._sessions.values():
            if lost := await session.aclose():
                self.losses.append(lost)
        self._sessions.clear()
        if self._opener is not None:
            await self._opener.aclose()
        if self._host is not None:
            await self._host.aclose()

    def abandon(self) -> None:
        """End the commands that run, at once, for a process that leaves without waiting."""
        kill_all()

    @property
    def workspace(self) -> Workspace:
        """Where this service works."""
        if self._workspace is None:
            raise UsageError("the service is not started: use `async with Service(...)`")
        return self._workspace

    @property
    def warnings(self) -> tuple[str, ...]:
        """What has no effect here although the user may count on it, in words."""
        return (*_lapsed_trust(self.workspace), *self.workspace.config.warnings)

    # --- sessions and turns ----------------------------------------------------------------

    async def new_session(self) -> SessionInfo:
        """Start a session here. Raises BadCredentials, UnknownModel, DiskRefused."""
        session = await (await self._started()).new()
        self._sessions[session.id] = session
        return self._info(session.id)

    async def open_session(self, id: str) -> SessionInfo:
        """Go on with a session by its id or a unique beginning of it."""
        if id in self._sessions:
            return self._info(id)
        session = await (await self._started()).resume(id)
        self._sessions[session.id] = session
        return self._info(session.id)

    async def turn(self, session_id: str, text: str) -> AsyncGenerator[TurnEvent]:
        """Say ``text`` and yield what happens; the last event is ``idle``.

        A failure is in the ``idle`` event as ``error: {type, message, exitCode}``. Closing the
        iterator cancels the turn.
        """
        if not text.strip():
            raise UsageError("nothing was asked: give a question or a task")
        session = self._session(session_id)
        if session_id in self._running:
            raise UsageError("this session is working: steer or cancel it")
        run = self._running[session_id] = TurnRun(session, text)
        try:
            async with aclosing(run.events()) as events:
                async for event in events:
                    yield event
        finally:
            del self._running[session_id]

    async def answer(self, session_id: str, question_id: str, answer: PermissionAnswer) -> None:
        """Answer a permission question of the running turn."""
        self._run(session_id).answer(question_id, answer)

    async def cancel(self, session_id: str) -> None:
        """Stop the running turn, if there is one; its ``idle`` event follows."""
        if session_id in self._running:
            self._running[session_id].cancel()

    async def steer(self, session_id: str, text: str) -> None:
        """Queue words for the running turn; they join its next request.

        Raises UsageError when the turn is over: then they are a turn of their own.
        """
        self._run(session_id)
        self._session(session_id).steer(text)

    async def compact(self, session_id: str, focus: str = "") -> Mapping[str, Any]:
        """Compact now. Gives ``{id, before, after, plugin, trigger, verdict, notices}``."""
        if session_id in self._running:
            raise UsageError("this session is working: it makes room by itself when it must")
        notices: list[str] = []

        def heard(kind: str, data: Mapping[str, Any]) -> None:
            if kind == "notice":
                notices.append(str(data["text"]))

        made = await self._session(session_id).compact(heard, focus=focus)
        return {**made, "session": session_id, "notices": notices}

    # --- what was and what is --------------------------------------------------------------

    def sessions(self) -> tuple[SessionInfo, ...]:
        """This person's sessions in this repository, newest first."""
        from novacore.store.folder import SESSIONS, list_sessions
        from novacore.store.locks import is_locked

        self._check_identity()
        space = self.workspace
        found = list_sessions(space.state, principal=space.principal, repository=space.repository)
        return tuple(
            _session_info(meta, locked=is_locked(space.state / SESSIONS / meta.id))
            for meta in found
        )

    def latest_session(self) -> str | None:
        """The id of the session that was used last here."""
        found = self.sessions()
        return found[0].id if found else None

    def collect(self, session: str = "", *, days: int | None = None) -> Removed:
        """Remove spilled texts, and of old sessions also what requests held; logs stay.

        Of one ``session`` whatever its age, else of all that nobody used for ``days`` (None: the
        setting). Raises SessionNotFound, SessionLocked, DiskRefused.
        """
        from novacore.store.gc import collect, remove_spilled

        space = self.workspace
        kept = space.settings.spill.retention_days if days is None else days
        made = remove_spilled(space.state, session) if session else collect(space.state, days=kept)
        return Removed(sessions=made.sessions, files=made.files, bytes=made.bytes, busy=made.busy)

    def session_events(self, id: str) -> tuple[Event, ...]:
        """Every event of a session, in order."""
        return tuple(self._folder(id).log.events)

    def session_info(self, id: str) -> SessionInfo:
        """A session of this person by its id or a unique beginning of it, wherever it was."""
        return self._info(id)

    def context(self, session_id: str, request: int | None = None) -> Mapping[str, Any]:
        """The manifest of a request (None: the newest)."""
        from novacore.host import read_faults
        from novacore.session.costs import costs

        folder = self._folder(session_id)
        try:
            faults = read_faults(self.workspace.state / FAULTS_FILE)
        except OSError:
            faults = ()  # They explain; without them the rest still says what the model saw.
        return manifest(
            folder.id,
            folder.snapshots.requests(),
            request,
            current_version=self._reads().version,
            costs=costs(folder.log.events),
            faults=[fault for fault in faults if fault.session == folder.id],
        )

    def fragment(self, session_id: str, request: int | None, id: str) -> Mapping[str, Any]:
        """One fragment of a request with its content. Raises UsageError when it is not in it."""
        found = self.context(session_id, request)
        for piece in found["fragments"]:
            if piece["id"] == id:
                text = self._folder(session_id).snapshots.get(piece["blob"])["text"]
                return {**piece, "content": text}
        raise UsageError(f"request {found['request']} holds no fragment {id}")

    # --- code ------------------------------------------------------------------------------

    def read(self, spec: str, *, outline: bool = False, max_tokens: int = MAX_TOKENS) -> ReadResult:
        """Read ``PATH[::NAMEPATH | :L1-L2 | @B1-B2]`` from the working directory."""
        return self._reads().spec(spec, outline_only=outline, max_tokens=max_tokens)

    def outline(self, path: str) -> Outline:
        """The symbols of a file."""
        return self._reads().outline(path)

    def find(self, name: str, *, limit: int = 50) -> Hits:
        """Symbols of the workspace by name."""
        return self._reads().find(name, limit=limit)

    # --- plugins, trust, configuration -----------------------------------------------------

    async def plugins(self, load: bool = True) -> Sequence[PluginStatus]:
        """Every plugin and its state; with ``load=False`` nothing is imported."""
        from novacore.host import list_without_loading
        from novacore.service.opening import host_config, untrusted_roots

        if not load:
            return list_without_loading(
                host_config(self.workspace),
                roots=untrusted_roots(self.workspace),
                faults_file=self.workspace.state / FAULTS_FILE,
            )
        await self._loaded_host()
        assert self._host is not None
        return self._host.statuses()

    def trust_status(self, path: Path) -> TrustEntry:
        """Whether a folder is trusted as it is now, and what trust would let run."""
        return _trust_entry(self._trust().status(root_of(self.workspace.cwd / path)))

    def trust(self, path: Path) -> TrustEntry:
        """Trust a folder as it is now."""
        return _trust_entry(self._trust().grant(root_of(self.workspace.cwd / path)))

    def trust_list(self) -> tuple[TrustEntry, ...]:
        """Every folder that was trusted."""
        return tuple(map(_trust_entry, self._trust().list()))

    def trust_revoke(self, path: Path) -> None:
        """Take trust back, also from a folder that is gone."""
        full = self.workspace.cwd / path
        self._trust().revoke(root_of(full) if full.is_dir() else full)

    async def doctor(self) -> tuple[Check, ...]:
        """Versions, grammars, keys, paths, plugins, disk - and what to do."""
        from novacore.service.doctor import examine

        return await examine(self.workspace, await self.plugins())

    def install_vocabulary(self, file: Path) -> Path:
        """Copy a tokenizer's vocabulary to where counts look for it, checked by its hash.

        Raises UsageError for any other file.
        """
        from novacore.config.folders import vocabularies
        from novacore.tokens import install_vocabulary

        return install_vocabulary(self.workspace.cwd / file, vocabularies())

    def config_values(self) -> tuple[ConfigValue, ...]:
        """Every configuration value with its origin."""
        return tuple(
            ConfigValue(key=v.key, value=v.value, origin=v.origin, scope=v.scope)
            for v in self.workspace.config.values
        )

    # --- inside ----------------------------------------------------------------------------

    def _make_host(self) -> Host:
        from novacore.service.opening import make_host, past_index

        self._past = self._past or past_index(self.workspace)
        return make_host(self.workspace, self._past, self._report_usage)

    async def _loaded_host(self) -> Host:
        if self._host is None:
            self._host = self._make_host()
            await self._host.load()
        return self._host

    async def _started(self) -> Opener:
        from novacore.service.opening import Opener

        if self._opener is None:
            self._check_identity()
            host = await self._loaded_host()
            assert self._past is not None
            self._opener = Opener(self._options, self.workspace, host, self._past)
        return self._opener

    def _report_usage(self, name: str, usage: Mapping[str, Any], dollars: float | None) -> None:
        """Called from plugins' threads; a session belongs to the loop's."""

        def count() -> None:
            for id in self._running:
                self._sessions[id].count(name, usage, dollars)

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(count)

    def _session(self, id: str) -> Session:
        if id not in self._sessions:
            raise SessionNotFound(f"session {id} is not open here: open it first")
        return self._sessions[id]

    def _run(self, session_id: str) -> TurnRun:
        run = self._running.get(session_id)
        if run is None or run.over:
            raise UsageError(f"session {session_id} is not working: ask it instead")
        return run

    def _check_identity(self) -> None:
        """Without an id of the repository nobody could tell whose sessions these are."""
        if self.workspace.refused is not None:
            raise self.workspace.refused

    def _folder(self, id: str) -> SessionFolder:
        from novacore.store.folder import SessionFolder

        if id in self._sessions:
            return self._sessions[id].parts.folder
        found = SessionFolder.open(self.workspace.state, id, write=False)
        if found.meta.principal not in ("", self.workspace.principal):
            raise SessionNotFound(
                f"there is no session {id} of yours; see `novacore sessions list`"
            )
        return found

    def _info(self, id: str) -> SessionInfo:
        return _session_info(self._folder(id).meta)

    def _reads(self) -> CodeReads:
        space = self.workspace
        return CodeReads(space.policy(), root=space.root, cwd=space.cwd)

    def _trust(self) -> TrustStore:
        return self.workspace.trust_store()


def _lapsed_trust(space: Workspace) -> tuple[str, ...]:
    if not space.trust_changes:
        return ()
    what = ", ".join(space.trust_changes)
    return (f"not trusted any more, since it changed: {what}; `novacore trust` shows it and asks",)


def _trust_entry(found: Trusted) -> TrustEntry:
    return TrustEntry(
        path=found.path,
        trusted=found.trusted,
        changed=found.changed,
        would_run=found.would_run,
    )


def _session_info(meta: SessionMeta, *, locked: bool = False) -> SessionInfo:
    return SessionInfo(
        id=meta.id,
        title=meta.title,
        cwd=meta.cwd,
        model=meta.model,
        mode=cast(Mode, meta.mode or "ask"),
        created=meta.created,
        updated=meta.updated,
        turns=meta.turns,
        events=meta.events,
        last_seq=meta.last_seq,
        repository=meta.repository,
        locked=locked,
        damaged=tuple(meta.damaged),
    )
