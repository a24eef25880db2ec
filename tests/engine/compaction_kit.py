"""A session that is long enough to compact, and plugins with scripted answers."""

from __future__ import annotations

from engine.events_kit import Log, call, text
from host.plugin_folder import make_host
from novacore import Hooks
from novacore.engine.boundary import boundary_to_json
from novacore.engine.budget import budget_for
from novacore.engine.compact import compact
from novacore.engine.state import fold_all
from novacore.tokens import estimate
from novacore.types import Compaction, EventRange, Passage, SessionRef
from novacore_plugins.compact_state import CompactState

BUDGET = budget_for(40_000)
SHOWN = ("user", "assistant", "tool_result", "update", "recall")
RULE = "You must never touch migrations/, unless I approve it."


def grow(log, steps, *, lines=40, name="step"):
    """Steps of one call and its result, a turn for every ten of them."""
    for n in range(steps):
        turn = log.events[-1].turn if n % 10 else log.events[-1].turn + 1
        if n % 10 == 0:
            log.add("user", by="user", turn=turn, text=f"Do part {n} of {name}.")
        blocks = [text(f"{name} {n}"), call(f"{name}-{n}", "read", path=f"src/{name}{n}.py")]
        log.add("assistant", by="model", turn=turn, blocks=blocks)
        body = "\n".join(f"{k}: value of {name} {n} in line {k}" for k in range(lines))
        log.add(
            "tool_result",
            by="tool",
            turn=turn,
            call_id=f"{name}-{n}",
            name="read",
            text=body,
            status="ok",
            files=[{"path": f"src/{name}{n}.py", "action": "read"}],
        )
    return log


def session(steps=40):
    """A log with a goal, a rule, a side effect that is open, and ``steps`` steps."""
    log = Log()
    log.user(f"Refactor the parser. {RULE}")
    log.add("tool_started", call_id="d", name="run", summary="deploy", read_only=False)
    return grow(log, steps)


def items_of(log, since=0):
    """(event id, tokens) of what a window shows of the events from ``since`` on."""
    return [(e.id, estimate(str(dict(e.data)))) for e in log.events[since:] if e.kind in SHOWN]


async def run(log, *plugins, trigger="soft", budget=BUDGET, order=(), boundaries=(), **changes):
    """Compact ``log`` (from the last boundary's tail on) with these plugins, in this order."""
    host = make_host(order={"compact": [name for name, _ in plugins]})
    for name, plugin in plugins:
        await host.register(plugin, name)
    since = 0
    if boundaries:
        ids = [e.id for e in log.events]
        since = ids.index(boundaries[-1].tail_start.event)
    items = items_of(log, since)
    ground = changes.pop("ground_tokens", 3_000)
    given = {
        "session": SessionRef(id="s"),
        "model": "m",
        "used": sum(tokens for _, tokens in items) + ground,
        "ground_tokens": ground,
        "boundaries": [boundary_to_json(b) for b in boundaries],
        "lookup": {e.id: e for e in log.events}.__getitem__,
        "between": lambda first, last: between(log, first, last),
        "count": estimate,
        "transcript": "/state/sessions/s/events.jsonl",
    }
    try:
        return await compact(
            host,
            changes.pop("items", items),
            changes.pop("state", fold_all(log.events)),
            budget,
            trigger=trigger,
            **{**given, **changes},
        )
    finally:
        await host.aclose()


def between(log, first, last):
    places = {e.id: n for n, e in enumerate(log.events)}
    return log.events[places[first] : places[last] + 1]


BUILT_IN = ("compact_state", CompactState)


class Scripted(Hooks):
    """Answers each request by the next of its functions; the requests are kept."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def compact(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else None
        return answer(request) if callable(answer) else answer


def whole(request, words="What was done before.", **changes):
    """A sound proposal: one passage over the span before the shortest legal tail."""
    cut = changes.pop("cut", request.legal_cuts[-1].event)
    ids = [item.event.id for item in request.view]
    covers = EventRange(first=ids[0], last=ids[ids.index(cut) - 1])
    passages = changes.pop("passages", (Passage(text=words, covers=covers),))
    return Compaction(cut=cut, passages=passages, **changes)
