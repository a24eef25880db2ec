"""P26: stale reads, files changed underneath, symbols that moved - at the tools' door."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from novacore.code.text import version_of
from novacore.store.artifacts import ArtifactStore
from novacore.tools.context import ToolContext
from novacore.tools.ledger import ReadLedger
from novacore.tools.paths import PathPolicy
from novacore.tools.registry import built_in_tools
from novacore.tools.secrets import Masker
from novacore.types import PermissionQuestion, ToolCall


@pytest.fixture
def case(shared):
    return json.loads(
        shared("cases", "agent", "P26_read_freshness_and_ranges", "input.json").read_bytes()
    )


class Desk:
    """The file ``a.py`` and an author who reads and edits it through the tools."""

    def __init__(self, root, source):
        root.mkdir()
        policy = PathPolicy((root,))
        self.file = root / "a.py"
        self.file.write_text(source)
        self.tools = built_in_tools()
        self.reads = 0
        self.context = ToolContext(
            session_id="s", cwd=root, roots=policy.roots, policy=policy, masker=Masker(b"k" * 32),
            artifacts=ArtifactStore(root.parent / "artifacts"), ledger=ReadLedger(), past=None,
        )  # fmt: skip

    async def call(self, name, **given):
        call = ToolCall(id=f"{name}{self.reads}", name=name, input={"path": "a.py", **given})
        self.reads += name == "read"
        asked = self.tools[name].question(call, self.context)
        if asked is not None and not isinstance(asked, PermissionQuestion):
            return asked
        return await self.tools[name].run(call, self.context)

    async def read(self, **given):
        return (await self.call("read", **given)).source.version

    def write(self, text):
        self.file.write_text(text)


@pytest.fixture
def desk(tmp_path, case):
    return Desk(tmp_path / "proj", case["source"])


BETA = "def beta(x):\n    return 2"


async def test_f1_w1_touched_but_equal_is_edited(desk):
    version = await desk.read()
    os.utime(desk.file)
    done = await desk.call("edit", version=version, edits=[{"old": "return x", "new": "return y"}])
    assert done.status == "ok"
    assert "return y" in desk.file.read_text()


async def test_f1_w2_changed_elsewhere_is_applied_on_the_new_content(desk, case):
    version = await desk.read()
    formatted = case["source"].replace("import os", "import os\nimport sys")
    desk.write(formatted)
    done = await desk.call("edit", version=version, edits=[{"old": "return x", "new": "return y"}])
    assert done.status == "ok"
    assert desk.file.read_text() == formatted.replace("return x", "return y")
    assert "changed since" in done.text
    assert desk.reads == 1


async def test_f1_w3_changed_region_is_refused_and_shown(desk, case):
    version = await desk.read()
    theirs = case["source"].replace("    return x", "    return x + 1")
    desk.write(theirs)
    edits = [{"old": "    return x\n", "new": "    return y\n"}]
    refused = await desk.call("edit", version=version, edits=edits)
    assert refused.status == "stale"
    assert "    7\t    return x + 1" in refused.text
    assert desk.file.read_text() == theirs
    assert version_of(theirs.encode()) in refused.text


async def test_f1_w3_symbol_and_lines_are_refused_too(desk, case):
    version = await desk.read()
    desk.write(case["source"].replace("return inner()", "return inner"))
    by_symbol = await desk.call("edit", version=version, edits=[{"symbol": "beta", "new": BETA}])
    edits = [{"start_line": 10, "end_line": 13, "new": BETA}]
    by_lines = await desk.call("edit", version=version, edits=edits)
    assert [by_symbol.status, by_lines.status] == ["stale", "stale"]
    assert "return inner\n" in by_symbol.text
    assert "return inner\n" in by_lines.text


async def test_f1_w8_lines_from_before_an_edit_are_shifted(desk, case):
    version = await desk.read()
    first = [{"start_line": 1, "end_line": 1, "new": "import os\nimport re\nimport sys"}]
    await desk.call("edit", version=version, edits=first)
    second = [{"start_line": 10, "end_line": 13, "new": BETA}]
    done = await desk.call("edit", version=version, edits=second)
    assert done.status == "ok"
    expected = case["source"].replace("import os", "import os\nimport re\nimport sys")
    start, end = expected.index("def beta"), expected.index("\n\nclass Gamma")
    assert desk.file.read_text() == expected[:start] + BETA + expected[end:]


async def test_f1_w8_lines_that_cannot_be_told_apart_are_refused(desk):
    twins = "a = 1\n\nx = 0\n\n\nx = 0\n\nb = 2\n"
    desk.write(twins)
    version = await desk.read()
    await desk.call("edit", version=version, edits=[{"start_line": 4, "end_line": 4, "new": ""}])
    between = desk.file.read_text()
    edits = [{"start_line": 3, "end_line": 3, "new": "x = 9"}]
    refused = await desk.call("edit", version=version, edits=edits)
    assert (refused.status, desk.file.read_text()) == ("stale", between)


async def test_f1_w9_content_decides_not_time(desk, case):
    version = await desk.read()
    desk.write(case["source"].replace("return x", "return 0"))
    os.utime(desk.file, (1, 1))
    refused = await desk.call("edit", version=version, edits=[{"old": "return x", "new": "q"}])
    assert refused.status == "stale"


async def test_f1_w10_after_a_boundary_the_content_comes_again(desk):
    first = await desk.call("read", start_line=1, end_line=3)
    again = await desk.call("read", start_line=1, end_line=3)
    desk.context.ledger.forget_all()
    after = await desk.call("read", start_line=1, end_line=3)
    assert (first.status, again.status, after.status) == ("ok", "unchanged", "ok")
    assert "import os" in after.text
    assert "import os" not in again.text


async def test_f2_symbols_give_the_listed_lines(desk, case):
    for row in case["symbols"]:
        query = "/alpha" if "top level" in row["q"] else row["q"]
        found = await desk.call("read", symbol=query)
        if "lines" in row:
            assert [found.source.start_line, found.source.end_line] == row["lines"]
        elif "ambiguous" in row:
            assert found.status == "ambiguous"
            assert {"/alpha", "Gamma/alpha"} <= set(found.text.split())
        else:
            assert found.status == "not_found"
            assert "nearest" in found.text


async def test_f2_a_file_that_does_not_parse_says_so(desk, case):
    lines = case["source"].split("\n")
    lines[case["broken"]["replace_line"] - 1] = case["broken"]["with"]
    desk.write("\n".join(lines))
    found = await desk.call("read", symbol="beta")
    assert "does not parse" in found.text
    assert "approximate" in found.text
    assert "def beta(x):" in found.text


async def test_f3_a_moved_symbol_is_flagged_and_found(desk, case):
    version = await desk.read(symbol="beta")
    then = case["then"]
    assert then["insert_above_line"] == 1
    desk.write(then["text"] + case["source"])
    found = await desk.call("read", symbol="beta")
    assert [found.source.start_line, found.source.end_line] == case["after_insert"]["beta"]
    assert found.source.version != version
    edits = [{"start_line": 10, "end_line": 13, "new": BETA}]
    moved = await desk.call("edit", version=version, edits=edits)
    assert moved.status == "ok"
    assert "changed since" in moved.text
    assert "def beta(x):\n    return 2\n\nclass Gamma" in desk.file.read_text()


@pytest.mark.parametrize(
    "new",
    [
        "@cached\n@app.route('/a')\ndef alpha(x):\n    return 1",
        "@cached\n@app.route('/a')\ndef alpha(x):\n    return 1\n",
    ],
)
async def test_f5_a_replaced_symbol_doubles_nothing(desk, case, new):
    version = await desk.read()
    await desk.call("edit", version=version, edits=[{"symbol": "/alpha", "new": new}])
    source = case["source"]
    end = source.index("\n\n# note")
    assert desk.file.read_text() == source[: source.index("@cached")] + new.rstrip() + source[end:]


async def test_f5_a_comment_that_stands_there_is_not_doubled(desk, case):
    version = await desk.read()
    edits = [{"symbol": "beta", "new": "# note on beta\n" + BETA}]
    await desk.call("edit", version=version, edits=edits)
    source = case["source"]
    start, end = source.index("def beta"), source.index("\n\nclass")
    assert desk.file.read_text() == source[:start] + BETA + source[end:]


@pytest.mark.parametrize(
    "new",
    [
        "def alpha(self):\n        return 'h'",
        "    def alpha(self):\n        return 'h'\n",
        "def alpha(self):\n    return 'h'",
    ],
)
async def test_f5_a_method_keeps_its_indentation(desk, case, new):
    version = await desk.read()
    await desk.call("edit", version=version, edits=[{"symbol": "Gamma/alpha", "new": new}])
    assert desk.file.read_text() == case["source"].replace("return 'g'", "return 'h'")


def git(root, *args):
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *who, "-C", str(root), *args], check=True)


async def test_f6_a_checkout_is_noticed_before_the_next_read(desk, case):
    root = desk.file.parent
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    desk.write(case["then"]["text"] + case["source"])
    changed = await desk.read(symbol="beta")
    git(root, "checkout", "-q", "--", "a.py")
    found = await desk.call("read", symbol="beta")
    assert found.status == "ok"
    assert found.source.version != changed
    assert found.source.start_line == 10
