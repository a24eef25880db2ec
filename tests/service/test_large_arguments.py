"""Very large arguments: the tool gets all of them, the window a stub, the person can read them."""

from __future__ import annotations

import json
import re

import pytest

from fakellm import FakeServer, Scripted, Text, ToolUse, Turn
from service.project_kit import make_project
from service.turns_kit import blocks, check_wire, log_of, results, say, serving

BIG = "".join(f"value_{n} = {n * 7919}\n" for n in range(40_000))
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


async def turn(project, script, shared, **options):
    """One turn in accept-edits mode: the fake that was asked, and the session's id."""
    async with FakeServer(Scripted([*script, Turn.say("done")]), **options) as fake:
        async with serving(project, fake, mode="accept-edits") as service:
            session = (await service.new_session()).id
            events = await say(service, session, "write it")
            assert events[-1].data["stopReason"] == "end_turn", events[-1].data
            used = service.context(session)["used"]
        check_wire(shared, fake)
    return fake, session, used


def inputs(request):
    return [b["input"] for role, b in blocks(request.body) if b["type"] == "tool_use"]


async def test_a_large_file_is_written_whole_and_stands_in_the_window_as_a_stub(project, shared):
    write = Turn((Text("I write it."), ToolUse("write", {"path": "big.py", "content": BIG})))
    again = Turn.call("read", path="calc.py")
    fake, session, used = await turn(project, [write, again], shared)
    assert (project / "big.py").read_text() == BIG
    assert all(request.appended_only for request in fake.requests[1:])
    (content,) = [given["content"] for given in inputs(fake.requests[1])]
    assert len(content) <= 5_000
    assert "which write was given whole" in content
    assert used < 10_000, "what the answer cost is no part of the window"
    (spill,) = [r["data"] for r in log_of(session) if r["kind"] == "spill"]
    assert f"artifact:{spill['artifact']}" in content
    assert spill["chars"] == len(BIG)


async def test_the_artifact_holds_the_argument_and_can_be_read(project, shared):
    def read_back(request):
        (given,) = [given for given in inputs(request) if "content" in given]
        artifact = re.search(r"artifact:[\w.-]+", given["content"])[0]
        return Turn.call("search", pattern="value_39999 ", path=artifact)

    write = Turn.call("write", path="big.py", content=BIG)
    fake, _, _ = await turn(project, [write, read_back], shared)
    assert any("value_39999" in text for text, _ in results(fake.requests[2].body).values())


async def test_a_stub_that_comes_back_as_an_argument_is_refused(project, shared):
    def copied(request):
        (given,) = inputs(request)
        return Turn.call("write", path="copy.py", content=given["content"])

    write = Turn.call("write", path="big.py", content=BIG)
    fake, _, _ = await turn(project, [write, copied], shared)
    (text, is_error) = list(results(fake.requests[2].body).values())[-1]
    assert is_error
    assert "placeholder" in text
    assert not (project / "copy.py").exists()


async def test_many_texts_of_one_answer_leave_largest_first_until_they_fit(project, shared):
    prose = "Some words of a text that goes on and on.\n"
    texts = [f"# {n}\n" + prose * (1_100 - 10 * n) for n in range(6)]
    calls = tuple(
        ToolUse("write", {"path": f"f{n}.md", "content": text}) for n, text in enumerate(texts)
    )
    fake, session, _ = await turn(project, [Turn(calls)], shared)
    assert [(project / f"f{n}.md").read_text() for n in range(6)] == texts
    kept = [len(given["content"]) for given in inputs(fake.requests[1])]
    assert sum(kept) <= 200_000
    gone = [r["data"]["output_id"] for r in log_of(session) if r["kind"] == "spill"]
    assert len(gone) == sum(size <= 5_000 for size in kept) < 6
    assert all(id.endswith("#content") for id in gone)


async def test_secrets_of_an_argument_are_in_no_file(project, shared, isolated):
    write = Turn.call("write", path="big.py", content=f"token = '{SECRET}'\n{BIG}")
    fake, session, _ = await turn(project, [write], shared)
    assert SECRET in (project / "big.py").read_text()
    assert "[secret:github-token#" in json.dumps(log_of(session))
    for path in (isolated / "state").rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path
    assert SECRET not in json.dumps(fake.requests[-1].body)


@pytest.mark.parametrize(("window", "whole"), [(200_000, False), (1_000_000, True)])
async def test_limits_grow_with_the_window(project, shared, window, whole):
    prose = "Some words of a text that goes on and on.\n" * 2_000
    write = Turn.call("write", path="notes.md", content=prose)
    fake, _, _ = await turn(project, [write], shared, window=window)
    (content,) = [given["content"] for given in inputs(fake.requests[1])]
    assert (content == prose) == whole


async def test_what_an_edit_changed_is_in_the_log_and_not_in_the_window(project, shared):
    def edit(request):
        version = re.search(r"version ([0-9a-f]{16})", json.dumps(request.body))[1]
        change = {"old": "price * count", "new": "count * price"}
        return Turn.call("edit", path="calc.py", version=version, edits=[change])

    fake, session, _ = await turn(project, [Turn.call("read", path="calc.py"), edit], shared)
    (data,) = [
        r["data"]
        for r in log_of(session)
        if r["data"].get("name") == "edit" and "diff" in r["data"]
    ]
    assert "-    return price * count\n+    return count * price\n" in data["diff"]
    (record,) = data["files"]
    assert record["before"] != record["after"]
    assert "+    return count" not in json.dumps(fake.requests[-1].body)
