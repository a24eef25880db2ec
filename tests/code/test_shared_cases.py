"""The shared language cases, each exactly as its ``expected.json`` says."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from novacore.code.ignores import ignored
from novacore.code.outline import outline
from novacore.code.reads import Target, read
from novacore.code.text import version_of
from novacore.code.walk import walk

CASES = (
    "01_py_decorated",
    "02_py_duplicate_names",
    "03_py_conditional_nested",
    "04_py_312_syntax",
    "05_py_crlf_tabs",
    "07_py_latin1",
    "08_py_emoji_columns",
    "10_py_syntax_error",
    "11_empty",
    "13_tsx_components",
    "14_ts_classes",
)


@pytest.fixture
def load(shared):
    index = json.loads((shared("cases", "code", "index.json")).read_bytes())
    files = {case["id"]: case["file"] for case in index["cases"]}

    def load(name):
        folder = shared("cases", "code", name)
        expected = json.loads((folder / "expected.json").read_bytes())
        source = folder.parent / files[name]
        return source.name, source.read_bytes(), expected

    return load


@pytest.mark.parametrize("name", CASES)
def test_symbols_are_exact(load, name):
    path, data, expected = load(name)
    found = outline(path, data)
    assert (found.status, found.language) == (expected["status"], expected["language"])
    got = {
        (s.name_path.removeprefix("/"), s.kind, s.range.start_line, s.range.end_line)
        for s in found.symbols
    }
    wanted = {(s["path"], s["kind"], s["start_line"], s["end_line"]) for s in expected["symbols"]}
    if expected.get("has_error"):
        assert wanted <= got
    else:
        assert got == wanted


@pytest.mark.parametrize("name", CASES)
def test_every_path_reads_back(load, name):
    path, data, _ = load(name)
    for symbol in outline(path, data).symbols:
        result = read(path, data, Target(symbol=symbol.name_path))
        assert (result.status, result.range) == ("ok", symbol.range)


@pytest.mark.parametrize("name", CASES)
def test_the_rest_of_what_is_expected(load, name):
    path, data, expected = load(name)
    found = outline(path, data)
    by_path = {s.name_path: s for s in found.symbols}
    for wanted in expected["symbols"]:
        if "name_line" in wanted:
            assert by_path[wanted["path"]].name_range.start_line == wanted["name_line"]
        if "async" in wanted:
            assert by_path[wanted["path"]].signature.startswith("async ")
        if "has_decorators" in wanted:
            text = read(path, data, Target(symbol=wanted["path"])).text
            assert (
                sum(line.startswith("@") for line in text.split("\n")) == wanted["has_decorators"]
            )
    for query in expected.get("reads", ()):
        result = read(path, data, Target(symbol=query["query"]))
        assert result.status == query["status"]
        assert len(result.candidates) == query.get("candidates", 0)
        assert bool(result.text) == (query["status"] == "ok")
    for symbol, (start, end) in expected.get("bytes", {}).items():
        result = read(path, data, Target(symbol=symbol))
        assert (result.range.start_byte, result.range.end_byte) == (start, end)
        assert result.text.encode() == data[start:end]
    assert not {s.name for s in found.symbols} & set(expected.get("must_not_be_symbols", ()))
    assert found.lines == expected.get("line_count", found.lines)


def test_latin1_is_read_by_its_coding_line(load):
    path, data, _ = load("07_py_latin1")
    result = read(path, data, Target(symbol="café"))
    assert result.encoding == "latin-1"
    assert result.text == 'def café():\n    return "ü"'
    assert data[result.range.start_byte : result.range.end_byte] == result.text.encode("latin-1")


def test_recovered_names_are_marked_and_the_answer_is_partial(load):
    path, data, expected = load("10_py_syntax_error")
    found = outline(path, data)
    assert found.partial
    assert found.reason
    lines = {s.name: (s.name_range.start_line, s.approximate) for s in found.symbols}
    assert lines["ok1"] == (1, False)
    for name, line in expected["recovered_names"].items():
        assert lines[name] == (line, True)
    assert read(path, data, Target(symbol="ok2")).partial


@pytest.mark.parametrize("file", ["empty.py", "blank.py", "comment.py"])
def test_files_without_code_have_no_symbols(shared, file):
    data = shared("cases", "code", "11_empty", file).read_bytes()
    found = outline(file, data)
    assert (found.status, found.symbols) == ("ok", ())
    assert read(file, data, Target()).status == "ok"


@pytest.mark.parametrize("keep_time", [True, False])
def test_stale_case(shared, tmp_path, keep_time):
    folder = shared("cases", "code", "26_stale")
    file = tmp_path / "m.py"
    shutil.copyfile(folder / "v1.py", file)
    before = file.stat()
    old = version_of(file.read_bytes())
    same_size = file.read_bytes().replace(b"v1", b"vX")
    file.write_bytes((folder / "v2.py").read_bytes())
    if keep_time:
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    now = read("m.py", file.read_bytes(), Target(symbol="target"), expected_version=old)
    assert (now.status, now.text) == ("stale", "")
    assert now.version == version_of(file.read_bytes())
    assert (now.range.start_line, now.range.end_line) == (8, 9)
    fresh = read("m.py", file.read_bytes(), Target(symbol="target"))
    assert (fresh.status, fresh.range.start_line, fresh.range.end_line) == ("ok", 8, 9)
    assert '"v2"' in fresh.text

    gone = read("m.py", (folder / "v3.py").read_bytes(), Target(symbol="target"))
    assert gone.status == "not_found"
    assert set(gone.nearest) == {"renamed", "first"}
    assert read("m.py", same_size, Target(symbol="target"), expected_version=old).status == "stale"


@pytest.fixture
def ignore_tree(shared, tmp_path):
    """The case's tree; what its own description calls a link is made one."""
    base = shared("cases", "code", "25_tree_ignores")
    shutil.copytree(base, tmp_path / "tree", symlinks=True)
    root = tmp_path / "tree/repo"
    expected = json.loads((base / "expected.json").read_bytes())
    for name, why in expected["not_indexed"].items():
        path = root / name.removesuffix("/**")
        if "link" in why and not path.is_symlink():
            target = path.read_text().strip()
            path.chmod(0o600)
            path.unlink()
            path.symlink_to(target)
    return root, expected


def test_tree_with_ignores_and_links(ignore_tree):
    root, expected = ignore_tree
    found = [file.path for file in walk(root, allowed=lambda real: True)]
    assert [path for path in found if path.endswith((".py", ".js"))] == [
        path for path in found if path in expected["indexed"]
    ]
    assert set(expected["indexed"]) <= set(found)
    assert len(found) == len(set(found))
    assert ignored(root, root / "build/out.py")
    assert not ignored(root, root / "sub/only_root.py")


READS = ("ext/secret.py", "../outside/secret.py", "loop/a.py", "build/out.py", "dangling.py")


@pytest.mark.parametrize("path", READS)
async def test_reads_in_that_tree(ignore_tree, make_bench, path):
    root, expected = ignore_tree
    bench = make_bench(root)
    wanted = next(row for row in expected["reads"] if row["path"] == path)
    call, question = bench.ask("read", path=path)
    if wanted["status"] == "denied":
        # Outside the root the user is asked first; unasked it is denied.
        assert question.subject == "path"
        outcome = await bench.tools["read"].run(call, bench.context)
    else:
        outcome = await bench.answer(call, question)
    assert outcome.status == wanted["status"]
    assert ("ignored" in outcome.text) == ("note" in wanted)
    if "canonical" in wanted:
        assert outcome.source.uri == f"file:{wanted['canonical']}"


async def test_a_binary_is_unreadable(ignore_tree, make_bench):
    root, _ = ignore_tree
    outcome = await make_bench(root).call("read", path="bin.py")
    assert outcome.status == "unreadable"
    assert "binary" in outcome.text
