"""A service that answers from a script: the front end's tests need no model and no files.

The words of a question choose what happens, so that a subprocess can be scripted too.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

from novacore.errors import BadCredentials, ConfigError, SessionNotFound
from novacore.service.api import Check, ConfigValue, Removed, SessionInfo, TrustEntry, TurnEvent
from novacore.types import Candidate, Event, Hit, Hits, Outline, Range, ReadResult, Symbol

ID = "019a0000-1111-7222-8333-444455556666"
HOSTILE = "\x1b[2J<script>alert(1)</script>\u202egpj.exe"


def info(**changes):
    values = {
        "id": ID, "title": "Where is it?", "cwd": "/w", "model": "navigator/navigator",
        "mode": "ask", "created": "2026-01-01T00:00:00Z", "updated": "2026-01-02T00:00:00Z",
        "turns": 1, "events": 2, "last_seq": 2,
    }  # fmt: skip
    return SessionInfo(**(values | changes))


def fragment(id, region, tokens, uri, **changes):
    row = {
        "id": id, "kind": "evidence", "region": region, "trust": "tool", "tokens": tokens,
        "authority": "project_state", "lifetime": "task", "disposition": "compressible",
        "reason": "read answered: ok", "access": "", "stale": False, "preview": "text of it",
        "position": {"part": "messages", "message": 1, "block": 0}, "event": "e1",
        "source": {"uri": uri, "start_line": None, "end_line": None, "version": "", "time": ""},
    }  # fmt: skip
    return row | changes


def manifest():
    source = {"start_line": 3, "end_line": 9, "version": "9f3c77aa00112233", "time": "2026-01-02"}
    fragments = [
        fragment("tool:read", "tools", 2000, "tool:read"),
        fragment("system", "system", 400, "novacore:system"),
        fragment("AGENTS.md@1", "baseline", 820, "file:AGENTS.md", kind="instruction"),
        fragment("u1", "history", 14, "event:u1", disposition="pinned",
                 preview="不要修改 migrations/"),
        fragment("r1", "evidence", 612, "file:pay/callback.py", stale=True,
                 source={"uri": "file:pay/callback.py", **source}),
        fragment("x1", "evidence", 7, f"file:{HOSTILE}", preview=HOSTILE, reason=HOSTILE),
    ]  # fmt: skip
    left = {"uri": "file:docs/payments.md", "start_line": None, "end_line": None}
    return {
        "v": 1, "assembler": "1", "session": ID, "request": 3, "epoch": 1, "turn": 1,
        "model": "claude-x", "provider": "anthropic", "window": 200_000,
        "soft": 167_000, "hard": 177_000, "reserve": 20_000, "used": 3853, "counting": "estimate",
        "regions": [{"region": r, "tokens": n} for r, n in
                    (("tools", 2000), ("system", 400), ("baseline", 820), ("history", 14),
                     ("evidence", 619))],
        "fragments": fragments,
        "left_out": [
            {"id": "l1", "source": left, "reason": "budget: evidence full", "tokens": 3900},
        ],
        "plugins": [
            {"plugin": "spill_logs", "hook": "spill", "ms": 3.2, "ok": True, "fault": None},
            {"plugin": "team", "hook": "recall", "ms": 8000, "ok": False, "fault": "deadline"},
        ],
        "cache": {"predicted_read": 3000, "reported_read": 2990, "changed_section": None,
                  "unchanged_fragments": 4, "marks": []},
        "masked": [{"kind": "aws-key", "n": 2}], "repairs": [], "usage": None, "dollars": 0.0123,
        "totals": {"fragments": 6, "requests": 3},
    }  # fmt: skip


@dataclass(frozen=True)
class Plugin:
    name: str
    state: str = "active"
    source: str = "novacore-agent 0.1.0"
    hooks: tuple[str, ...] = ("spill",)
    order: dict = field(default_factory=dict)
    import_ms: float = 1.5
    faults: int = 0
    last_fault: str = ""
    detail: str = ""


def symbol(path, depth=0, start=1, end=9):
    return Symbol(
        name_path=path, name=path.rpartition("/")[2], kind="function", depth=depth,
        signature=f"def {path.rpartition('/')[2]}():",
        range=Range(start_line=start, end_line=end, start_byte=0, end_byte=99),
        name_range=Range(start_line=start, end_line=start, start_byte=4, end_byte=8),
    )  # fmt: skip


class FakeService:
    """What the command line uses of the service; ``seen`` records what it was asked."""

    seen: ClassVar[list] = []
    broken: Exception | None = None
    warnings: tuple = ()
    losses: tuple = ()

    def __init__(self, options):
        if self.broken is not None:
            raise self.broken
        self.options = options
        self._cancelled = asyncio.Event()
        self._answers: asyncio.Queue = asyncio.Queue()
        self.seen.append(("options", options))

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.seen.append(("closed",))

    def abandon(self):
        self.seen.append(("abandoned",))

    async def new_session(self):
        return info()

    async def open_session(self, wanted):
        if not ID.startswith(wanted):
            raise SessionNotFound(f"no session {wanted}")
        return info(damaged=("line 3: half a record",))

    async def turn(self, session, text):
        yield event("user", {"text": text})
        if "hang" in text:
            yield tool("run", {"command": "sleep 999"}, phase="started")
            yield tool("read", {"path": "a.py"}, text="1\n2")
            await self._cancelled.wait()
            yield event("idle", {"stopReason": "cancelled", "steps": 1})
        elif "stuck" in text:
            await asyncio.Event().wait()
        elif "edit" in text:
            async for made in self._edit():
                yield made
        elif "limit" in text:
            error = {"type": "LimitReached", "message": "stopped after 1 step", "exitCode": 3}
            yield event("idle", {"stopReason": "error", "error": error})
        elif "cut" in text:
            yield event("idle", {"stopReason": "max_tokens"})
        else:
            async for made in self._answer(text):
                yield made

    async def _answer(self, text):
        yield event("notice", {"level": "warning", "text": "plugin team: deadline"})
        yield event("recall", {"items": [{"key": "k", "uri": "mem:k", "plugin": "recall_lexical"}]})
        read = {"path": "pay/callback.py", "symbol": "Handler/on_notify"}
        yield tool("read", read, text="a\nb\n")
        failed = {"exitCode": 1, "spilled": "abc", "text": "x" * 900, "isError": False}
        yield tool("run", {"command": "pytest -q"}, **failed)
        yield tool("edit", {"path": "a.py"}, text="ok", diff="--- a\n+++ b\n-x\n+y\n+z\n")
        yield tool("read", {"path": ".env"}, status="denied", isError=True, text="denied: .env\nx")
        yield event("plan", {"items": [{"id": "1", "text": "look", "status": "doing"}]})
        yield event(
            "compaction", {"id": "c", "before": 9000, "after": 500, "plugin": "compact_state"}
        )
        reply = HOSTILE if "hostile" in text else "It is here \ud800: 你好"
        yield event("text", {"delta": reply})
        yield event("text", {"delta": "\nDone."})
        done = {"stopReason": "end_turn", "steps": 2, "cost": 0.5, "request": 3, "usage": {}}
        yield event("idle", done)

    async def _edit(self):
        question = {
            "questionId": "q1", "callId": "c1", "tool": "edit", "subject": "edit",
            "title": "Edit a.py", "detail": "-old\n+new\n" * 300, "warnings": ["unsaved"],
            "options": ["once", "session", "always", "reject"],
            "rule": "edit a.py", "protected": False,
        }  # fmt: skip
        yield event("permission", question)
        waits = [
            asyncio.ensure_future(self._answers.get()),
            asyncio.ensure_future(self._cancelled.wait()),
        ]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if self._cancelled.is_set():
            waits[0].cancel()
            yield event("idle", {"stopReason": "cancelled"})
            return
        waits[1].cancel()
        answer = waits[0].result()
        yield event("text", {"delta": f"answered {answer.outcome}: {answer.reason}"})
        yield event("idle", {"stopReason": "end_turn"})

    async def answer(self, session, question, answer):
        self.seen.append(("answer", question, answer))
        self._answers.put_nowait(answer)

    async def cancel(self, session):
        self.seen.append(("cancel", session))
        self._cancelled.set()

    async def compact(self, session, focus=""):
        self.seen.append(("compact", session, focus))
        done = {
            "id": "b1",
            "before": 90_000,
            "after": 40_000,
            "plugin": "compact_state",
            "verdict": "accepted",
        }
        return done if focus != "nothing" else done | {"id": "", "verdict": "nothing to gain"}

    @property
    def workspace(self):
        return SimpleNamespace(root=Path("/w"))

    def fragment(self, session, request, id):
        (row,) = [row for row in manifest()["fragments"] if row["id"] == id]
        return {**row, "content": f"the whole text of {id}"}

    def latest_session(self):
        return ID

    def context(self, session, request=None):
        self.seen.append(("context", session, request))
        return manifest()

    def read(self, spec, *, outline=False, max_tokens=8000):
        self.seen.append(("read", spec, outline, max_tokens))
        if "absent" in spec:
            reason = "no symbol absent in a.py; try `novacore outline a.py`"
            return ReadResult(status="not_found", path="a.py", reason=reason, nearest=("present",))
        if "two" in spec:
            pick = [Candidate(path="a.py", name_path=f"two[{n}]", kind="function", start_line=n + 1,
                              end_line=n + 1) for n in (0, 1)]  # fmt: skip
            return ReadResult(
                status="ambiguous", path="a.py", reason="two symbols", candidates=tuple(pick)
            )
        where = Range(start_line=2, end_line=3, start_byte=5, end_byte=20)
        return ReadResult(
            status="ok", path="a.py", name_path="f", kind="function", range=where, partial=True,
            version="9f3c77aa00112233", text="def f():\n    return '\udcff'\n",
            outline=(symbol("f"),) if outline else (),
        )  # fmt: skip

    def outline(self, path):
        if "folder" in path:
            return Outline(path=path, status="unreadable", reason="folder is a folder")
        rows = (symbol("Box"), symbol("Box/size", 1, 3, 4))
        return Outline(
            path=path, status="ok", language="python", lines=12, version="ab" * 8, symbols=rows
        )

    def find(self, name, *, limit=50):
        if name == "slow":
            print("started", flush=True)
            time.sleep(60)
        if name == "patience":
            time.sleep(2)
        if name == "absent":
            return Hits(status="not_found")
        hit = Hit(
            path="we\nird.py",
            line=3,
            end_line=9,
            text="def size(self):",
            name_path="Box/size",
            kind="method",
        )
        return Hits(status="ok", hits=(hit,), total=4, files=1)

    async def plugins(self, load=True):
        self.seen.append(("plugins", load))
        broken = Plugin(
            "team", "failed", hooks=("recall",), faults=3, detail="ImportError: no team"
        )
        return (
            Plugin("spill_files", order={"spill": 2}),
            Plugin("spill_logs", order={"spill": 1}),
            broken,
        )

    def sessions(self):
        old = info(id="019a0000-2222", updated="2025-01-01", title="older", locked=True)
        return (old, info(damaged=("line 3: half a record",)))

    def session_info(self, id):
        found = [one for one in self.sessions() if one.id.startswith(id)]
        if len(found) != 1:
            raise SessionNotFound(f"{len(found)} sessions begin with {id}")
        return found[0]

    def collect(self, session="", *, days=None):
        self.seen.append(("collect", session, days))
        return Removed(sessions=(ID,), files=3, bytes=2 * 2**20, busy=("019a0000-2222",))

    def session_events(self, id):
        made = [
            ("session", {"cwd": "/w"}),
            ("user", {"text": "hi\x1b[2J\nthere"}),
            ("tool_result", {"name": "read", "text": "x"}),
        ]
        return tuple(
            Event(
                seq=n,
                id=f"e{n}",
                ts="2026-01-01T00:00:00Z",
                kind=kind,
                by="user",
                turn=1,
                data=data,
            )
            for n, (kind, data) in enumerate(made, 1)
        )

    trusted: ClassVar[set] = set()

    def trust_status(self, path):
        run = ("plugin .novacore/evil.py", "server /bin/sh -c 'touch PWNED'")
        return TrustEntry(path=str(path), trusted=str(path) in self.trusted, would_run=run)

    def trust(self, path):
        self.trusted.add(str(path))

    def trust_list(self):
        return tuple(
            TrustEntry(path=path, trusted=True, changed=("a.toml",))
            for path in sorted(self.trusted)
        )

    def trust_revoke(self, path):
        self.trusted.discard(str(path))

    async def doctor(self):
        broken = self.options.cwd.name == "broken"
        return (
            Check(name="python", ok=True, value="3.11"),
            Check(name="key", ok=not broken, value="absent", advice="export ANTHROPIC_API_KEY=..."),
        )

    def config_values(self):
        return (
            ConfigValue(key="limits.steps", value=200, origin="default", scope="project"),
            ConfigValue(key="model", value="auto", origin="/c/config.toml", scope="user"),
        )


def event(kind, data):
    return TurnEvent(
        kind=kind,
        session_id=ID,
        turn_id=f"{ID}:1",
        seq=2,
        ts="2026-01-01T00:00:00Z",
        data=data,
        counter=1,
    )


def tool(name, input, **data):
    base = {"callId": "c1", "name": name, "input": input, "phase": "finished", "status": "ok"}
    return event("toolCall", base | data)


ERRORS = {
    "config": ConfigError("/c/config.toml:2: unknown key limits.stepz; did you mean limits.steps?"),
    "key": BadCredentials("no key: set ANTHROPIC_API_KEY"),
    "bug": ZeroDivisionError("division by zero"),
}
