"""The writing tools: what a person is shown is what is written, or nothing is."""

from __future__ import annotations

import pytest

from novacore.code.text import version_of
from novacore.types import PermissionQuestion, ToolOutcome

SOURCE = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
VERSION = version_of(SOURCE.encode())
EDITS = [{"old": "return 1", "new": "return 10"}]


@pytest.fixture
def file(bench):
    return bench.put("m.py", SOURCE)


async def test_the_question_shows_the_diff_and_changes_nothing(bench, file):
    call, question = bench.ask("edit", path="m.py", version=VERSION, edits=EDITS)
    assert question.subject == "edit"
    assert question.title == "Edit m.py (+1 -1)"
    assert "-    return 1\n+    return 10\n" in question.detail
    assert question.paths == ("m.py",)
    assert file.read_text() == SOURCE
    done = await bench.answer(call, question)
    assert file.read_text() == SOURCE.replace("return 1", "return 10")
    after = version_of(file.read_bytes())
    assert after in done.text
    assert done.data["diff"] == question.detail
    record = done.files[0]
    assert (record.action, record.before, record.after) == ("modified", VERSION, after)


async def test_nobody_is_asked_about_what_cannot_be_done(bench, file):
    for edits in ([{"old": "missing", "new": ""}], [{"old": "return", "new": "x"}], [{"new": "x"}]):
        refused = await bench.call("edit", path="m.py", version=VERSION, edits=edits)
        assert refused.is_error
        assert VERSION in refused.text
    _, question = bench.ask("edit", path="gone.py", version="1", edits=EDITS)
    assert isinstance(question, ToolOutcome)
    assert question.status == "not_found"
    assert file.read_text() == SOURCE


async def test_a_change_while_the_user_was_asked_is_noticed(bench, file):
    call, question = bench.ask("edit", path="m.py", version=VERSION, edits=EDITS)
    theirs = SOURCE.replace("return 1", "return 3")
    file.write_text(theirs)
    assert (await bench.answer(call, question)).status == "stale"
    assert file.read_text() == theirs
    call, question = bench.ask("write", path="new.py", content="mine\n")
    bench.put("new.py", "theirs\n")
    assert (await bench.answer(call, question)).status == "stale"
    assert (bench.root / "new.py").read_text() == "theirs\n"


async def test_what_was_shown_is_written_although_the_rest_changed(bench, file):
    call, question = bench.ask("edit", path="m.py", version=VERSION, edits=EDITS)
    file.write_text("# top\n" + SOURCE)
    done = await bench.answer(call, question)
    assert done.status == "ok"
    assert file.read_text() == "# top\n" + SOURCE.replace("return 1", "return 10")


async def test_another_effect_than_the_shown_one_is_refused(bench, file):
    edits = [{"old": "return", "new": "yield", "replace_all": True}]
    await bench.call("read", path="m.py")
    call, question = bench.ask("edit", path="m.py", version=VERSION, edits=edits)
    theirs = SOURCE.replace("return 2", "return 5")
    file.write_text(theirs)
    refused = await bench.answer(call, question)
    assert (refused.status, file.read_text()) == ("stale", theirs)


async def test_masks_are_never_written(bench, file):
    mark = "[secret:aws#0123abcd]"
    assert bench.context.masker.has_mask(mark)
    for edits in ([{"old": "return 1", "new": mark}], [{"old": mark, "new": "x"}]):
        refused = await bench.call("edit", path="m.py", version=VERSION, edits=edits)
        assert (refused.status, "hidden" in refused.text) == ("failed", True)
    assert (await bench.call("write", path="n.py", content=mark)).status == "failed"
    assert not (bench.root / "n.py").exists()


@pytest.mark.parametrize("path", [".env", ".git/config", "../../etc/passwd\0"])
async def test_denied_paths(bench, path):
    assert (await bench.call("edit", path=path, version="1", edits=EDITS)).status == "denied"
    assert (await bench.call("write", path=path, content="x")).status == "denied"


async def test_protected_and_outside_paths_are_marked(bench, tmp_path):
    bench.put("AGENTS.md", "rules\n")
    version = version_of(b"rules\n")
    edits = [{"old": "rules", "new": "RULES"}]
    _, question = bench.ask("edit", path="AGENTS.md", version=version, edits=edits)
    assert question.protected
    assert "+RULES" in question.detail
    outside = tmp_path / "o.txt"
    outside.write_text("rules\n")
    call, question = bench.ask("edit", path=str(outside), version=version, edits=edits)
    assert isinstance(question, PermissionQuestion)
    assert question.warnings
    assert (await bench.tools["edit"].run(call, bench.context)).status == "denied"
    assert (await bench.answer(call, question)).status == "ok"
    assert outside.read_text() == "RULES\n"


async def test_write_makes_files_and_folders(bench):
    call, question = bench.ask("write", path="new/deep/m.py", content="x = 1\n")
    assert question.title == "Create new/deep/m.py (+1 -0)"
    done = await bench.answer(call, question)
    assert (bench.root / "new/deep/m.py").read_text() == "x = 1\n"
    assert version_of(b"x = 1\n") in done.text
    assert (done.files[0].action, done.files[0].before) == ("created", "")


async def test_write_over_a_file_needs_its_version(bench, file):
    refused = await bench.call("write", path="m.py", content="x\n")
    assert refused.status == "stale"
    assert "1\tdef a():" in refused.text
    assert (await bench.call("write", path="m.py", content="x", version="0")).status == "stale"
    assert file.read_text() == SOURCE
    done = await bench.call("write", path="m.py", content="x\n", version=VERSION)
    assert (done.status, file.read_text()) == ("ok", "x\n")
    again = version_of(b"x\n")
    assert (await bench.call("write", path="m.py", content="x\n", version=again)).status == "failed"
    assert (await bench.call("write", path="q.py", content="x", version="0")).status == "failed"
    assert (await bench.call("write", path="s.py", content="\ud800")).status == "failed"


async def test_write_keeps_line_endings_and_encoding(bench):
    old = "# coding: latin-1\r\nx = 'é'\r\n".encode("latin-1")
    bench.put("w.py", old)
    content = "# coding: latin-1\nx = 'ü'\n"
    done = await bench.call("write", path="w.py", content=content, version=version_of(old))
    assert (bench.root / "w.py").read_bytes() == content.replace("\n", "\r\n").encode("latin-1")
    assert "CRLF" in done.text
    now = done.source.version
    wide = await bench.call("write", path="w.py", content="日\n", version=now)
    assert wide.status == "failed"


async def test_a_disk_that_refuses_changes_nothing(bench, file, monkeypatch):
    def refuse(access, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bench.policy, "write_bytes", refuse)
    failed = await bench.call("edit", path="m.py", version=VERSION, edits=EDITS)
    assert (failed.status, file.read_text()) == ("failed", SOURCE)
    assert "No space left" in failed.text


async def test_edits_in_turn_by_the_version_of_the_first_read(bench, file):
    await bench.call("read", path="m.py")
    for edits in (EDITS, [{"symbol": "b", "new": "def b():\n    return 20"}]):
        done = await bench.call("edit", path="m.py", version=VERSION, edits=edits)
        assert done.status == "ok"
    assert file.read_text() == SOURCE.replace("return 1", "return 10").replace("n 2", "n 20")


def test_the_definitions_are_small_and_in_order(bench):
    import json

    from novacore.tokens import estimate

    specs = [tool.spec for tool in bench.tools.values()]
    assert [spec.name for spec in specs][:6] == ["read", "find", "search", "glob", "edit", "write"]
    text = json.dumps([[s.name, s.description, dict(s.schema)] for s in specs[:6]])
    assert estimate(text) <= 1_600
