"""The reference says what the code does: hooks, tools, errors, records, manifests, numbers."""

from __future__ import annotations

import asyncio
import inspect
import re
from typing import get_args

import pytest

from docs.pages import DOCS, REFERENCE, maker, section, text_of
from novacore import errors
from novacore.engine.budget import budget_for
from novacore.hookspecs import HOOK_NAMES, Hooks
from novacore.service import Service
from novacore.service.api import ServiceOptions
from novacore.tools.registry import built_in_tools
from novacore.types import EventKind, Status

QUESTIONS = (
    "Where is size called?",
    "Never rename weight. What does weight do?",
    "How do size and weight of a box belong together?",
    "Where is a box weighed?",
)
CODE = "def size(box):\n    return len(box)\n\n\ndef weight(box):\n    return size(box) * 3\n"


@pytest.mark.parametrize("name", ["hooks.md", "tools.md", "errors.md"])
def test_a_made_page_is_what_the_code_gives(name):
    made = maker().pages()[name]
    assert text_of(REFERENCE / name) == made, "run: python docs/reference/make_reference.py"


@pytest.mark.parametrize("hook", HOOK_NAMES)
def test_a_hook_has_a_heading_its_signature_and_its_fields(hook):
    text = section(REFERENCE / "hooks.md", f"## `{hook}`")
    signature = str(inspect.signature(getattr(Hooks, hook))).replace("'", "")
    assert f"\ndef {hook}{signature}\n" in text
    for heading in ("### Request", "### Answer", "### What the host checks"):
        assert heading in text
    for value in (*maker().REQUESTS[hook], *maker().ANSWERS[hook]):
        for name in value.__dataclass_fields__:
            assert f"| `{name}` |" in text


@pytest.mark.parametrize("name", built_in_tools())
def test_a_tool_and_its_inputs_are_documented(name):
    text = section(REFERENCE / "tools.md", f"## `{name}`")
    for field in built_in_tools()[name].spec.schema["properties"]:
        assert f"| `{field}` |" in text


def test_every_status_is_documented():
    assert tuple(maker().STATUSES) == get_args(Status)


def test_every_error_is_documented_with_its_exit_code():
    text = text_of(REFERENCE / "errors.md")
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, errors.NovaCoreError):
            assert f"| `{name}` | {value.exit_code} |" in text
            assert re.search(rf"[*+-] {name}\b", text), "the tree lacks it"


@pytest.mark.parametrize("kind", list(EventKind))
def test_a_kind_of_record_is_documented(kind):
    assert f"### `{kind.value}`" in text_of(REFERENCE / "log.md").splitlines()


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """The events of a session with two turns and a compaction, and its last manifest."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "box.py").write_text(CODE)
    (folder / "AGENTS.md").write_text("Never rename `size`.\n")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CONFIG", "CACHE"):
            patch.setenv(f"NOVACORE_{name}_DIR", str(folder / name.lower()))
        patch.delenv("ANTHROPIC_API_KEY", raising=False)
        return asyncio.run(_talk(folder))


async def _talk(folder):
    async with Service(ServiceOptions(cwd=folder, model="navigator")) as service:
        info = await service.new_session()
        for question in QUESTIONS:
            async for _ in service.turn(info.id, question):
                pass
        made = await service.compact(info.id)
        assert made["id"], made
        async for _ in service.turn(info.id, "Where is weight defined?"):
            pass
        return service.session_events(info.id), service.context(info.id)


def test_every_member_of_a_real_record_is_documented(session):
    events, _ = session
    kinds = {event.kind for event in events}
    assert kinds >= {"session", "user", "assistant", "tool_result", "update", "usage", "compaction"}
    for event in events:
        text = section(REFERENCE / "log.md", f"### `{event.kind}`")
        for name in event.data:
            assert f"`{name}`" in text, (event.kind, name)
        for name in event.data.get("boundary", ()):
            assert re.search(rf"\b{name}\b", text), ("boundary", name)


def test_every_member_of_a_real_manifest_is_documented(session):
    _, manifest = session
    page = text_of(REFERENCE / "manifest.md")
    for name in set(manifest) - {"v"}:
        assert f"`{name}`" in page, name
    for name in {key for row in manifest["fragments"] for key in row}:
        assert f"`{name}`" in section(REFERENCE / "manifest.md", "## Fragments"), name
    for name in manifest["cache"]:
        assert f"`{name}`" in page, name


ROWS = {
    "output reserve": "out",
    "soft line": "soft",
    "hard line": "hard",
    "tail kept verbatim, at least": "tail_min",
    "tail kept verbatim, at most": "tail_max",
    "target": "target",
    "recovery": "recovery",
}


@pytest.mark.parametrize("words", ROWS)
def test_the_numbers_of_the_window_are_the_budgets(words):
    lines = section(DOCS / "concepts" / "window.md", "## Budget").splitlines()
    cells = next(line for line in lines if line.startswith(f"| {words}")).strip("| ").split(" | ")
    small, large = (budget_for(window, max_output=32_000) for window in (128_000, 200_000))
    assert cells[-2:] == [f"{getattr(b, ROWS[words]):,}" for b in (small, large)]
