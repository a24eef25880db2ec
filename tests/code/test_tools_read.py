"""The reading tools: read, find, search, glob."""

from __future__ import annotations

import os

import pytest

from novacore.code.text import version_of
from novacore.types import PermissionQuestion

SOURCE = "class A:\n    def run(self):\n        return 1\n\n\ndef other():\n    return 2\n"


async def test_a_read_names_path_lines_and_version(bench):
    bench.put("src/a.py", SOURCE)
    found = await bench.call("read", path="src/a.py", symbol="A/run")
    version = version_of(SOURCE.encode())
    head, text = found.text.split("\n", 1)
    assert head == f"src/a.py version {version}; lines 2-3 of 7; method A/run"
    assert text == "    def run(self):\n        return 1"
    assert (found.source.uri, found.source.start_line) == ("file:src/a.py", 2)
    record = found.files[0]
    assert (record.path, record.action, record.after) == ("src/a.py", "read", version)
    assert not found.is_error


async def test_a_repeated_read_is_a_pointer_until_something_changes(bench):
    bench.put("a.py", SOURCE)
    statuses = [(await bench.call("read", path="a.py", symbol=name)).status
                for name in ("other", "other", "A.run", "A/run")]  # fmt: skip
    assert statuses == ["ok", "unchanged", "ok", "unchanged"]
    bench.put("a.py", SOURCE + "# more\n")
    assert (await bench.call("read", path="a.py", symbol="other")).status == "ok"
    bench.ledger.forget_all()
    assert (await bench.call("read", path="a.py", symbol="other")).status == "ok"


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        ({"path": "aa.py"}, "not_found", "Nearest: a.py"),
        ({"path": "x/y/z.py"}, "not_found", "glob"),
        ({"path": "src"}, "failed", "folder"),
        ({"path": "b.bin"}, "unreadable", "binary"),
        ({"path": "a.py", "symbol": "nope"}, "not_found", "nearest"),
        ({"path": "a.py", "symbol": "run"}, "ambiguous", "B/run"),
        ({"path": "empty.py"}, "ok", "(empty)"),
        ({"path": "a.py", "outline": True}, "ok", "A | class A"),
        ({"path": "big.py"}, "too_large", "f[0]"),
        ({"path": "a\0b.py"}, "denied", ""),
        ({"path": ".env"}, "denied", ""),
        ({"path": "pipe"}, "denied", ""),
    ],
)
async def test_every_status_says_what_to_do(bench, given, status, words):
    bench.put("a.py", "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n")
    bench.put("src/x", "")
    bench.put("b.bin", b"\0\1")
    bench.put("empty.py", "")
    bench.put(".env", "KEY=1")
    bench.put("big.py", "def f(): pass\n" * 1000)
    os.mkfifo(bench.root / "pipe")
    found = await bench.call("read", **given)
    assert found.status == status
    assert words in found.text
    assert len(found.text) < 50_000


async def test_a_path_outside_is_asked_for(bench, tmp_path):
    outside = tmp_path / "other.txt"
    outside.write_text("secret plans\n")
    call, question = bench.ask("read", path=str(outside))
    assert isinstance(question, PermissionQuestion)
    assert (question.subject, question.paths) == ("path", (str(outside.resolve()),))
    assert (await bench.tools["read"].run(call, bench.context)).status == "denied"
    agreed = await bench.answer(call, question)
    assert (agreed.status, "secret plans" in agreed.text) == ("ok", True)
    assert (await bench.call("search", pattern="secret", path=str(tmp_path))).status == "denied"


async def test_secrets_never_reach_the_text(bench):
    key = "AKIA" + "IOSFODNN7REALKEY"
    bench.put("conf.py", f'AWS = "{key}"\n')
    for given in ({"path": "conf.py"}, {"path": "conf.py", "start_byte": 0, "end_byte": 30}):
        assert key not in (await bench.call("read", **given)).text
    assert key not in (await bench.call("search", pattern="AWS")).text


KEY = "\n".join(f"MIIEpAIBAAKCAQEA7bq0hX8Zl3Qq9uXvJ0mYw3hV2bq5T8k1{n:02}AbCdEf" for n in range(20))
PEM = f"a = 1\n-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----\nb = 2\n"


async def test_a_part_of_a_secret_is_hidden_too(bench):
    bench.put("k.txt", PEM)
    for first, last in ((1, 5), (5, 8), (8, 24), (1, 24)):
        found = await bench.call("read", path="k.txt", start_line=first, end_line=last)
        assert "MIIE" not in found.text
        assert "[secret:" in found.text
        assert ("a = 1" in found.text, "b = 2" in found.text) == (first == 1, last == 24)
    assert (await bench.call("read", path="k.txt", start_line=24)).text.endswith("\nb = 2\n")
    for given in ({"pattern": "MIIE"}, {"pattern": "b = 2", "context": 3}):
        found = await bench.call("search", **given)
        assert "[part of a secret]" in found.text
        assert "MIIE" not in found.text
    assert "1: a = 1" in (await bench.call("search", pattern="a = 1")).text


async def test_names_and_bytes_that_are_no_utf8(bench):
    name = os.fsdecode(b"caf\xe9.py")
    bench.put(name, b"x = '\xe9'\n")
    listed = await bench.call("glob", pattern="*.py")
    assert "caf\ufffd.py" in listed.text
    found = await bench.call("read", path=name)
    assert found.status == "ok"
    assert "encoding unknown" in found.text
    found.text.encode("utf-8")
    edits = [{"old": "x =", "new": "y ="}]
    done = await bench.call("edit", path=name, version=found.source.version, edits=edits)
    assert done.status == "ok"
    assert (bench.root / name).read_bytes() == b"y = '\xe9'\n"


async def test_artifacts_are_read_in_pieces_and_searched(bench):
    text = "".join(f"line {n} {'x' * 40}\n" for n in range(20_000)) + "ERROR here\n"
    artifact = bench.context.artifacts.put("call_1", text)
    path = f"artifact:{artifact.id}"
    pieces, at = [], 0
    while at < len(text):
        found = await bench.call("read", path=path, start_byte=at)
        assert found.read_back
        assert len(found.text) < 50_000
        head, body = found.text.split("\n", 1)
        pieces.append(body)
        at = int(head.split("bytes ")[1].split(" ")[0].split("-")[1])
    assert "".join(pieces) == text
    lines = await bench.call("read", path=path, start_line=3, end_line=4)
    assert lines.text.split("\n")[1:] == [*text.split("\n")[2:4], ""]
    hit = await bench.call("search", path=path, pattern="ERROR")
    assert "20001: ERROR here" in hit.text
    many = await bench.call("search", path=path, pattern="LINE", ignore_case=True, limit=5)
    assert (many.status, many.text.count("\n")) == ("too_many", 5)
    assert (await bench.call("search", path=path, pattern="(", regex=False)).status == "not_found"
    assert (await bench.call("search", path=path, pattern="(")).status == "failed"
    assert (await bench.call("read", path="artifact:none")).status == "not_found"
    assert (await bench.call("read", path=path, symbol="x")).status == "failed"


async def test_search_groups_by_file_and_numbers_lines(bench):
    bench.put("src/a.py", SOURCE)
    bench.put("b.txt", "return 9\n")
    found = await bench.call("search", pattern=r"return \d", context=1, glob="*.py")
    assert found.text.split("\n") == [
        "2 of 2 lines in 1 file", "src/a.py", "  2-     def run(self):", "  3:         return 1",
        "  4- ", "  --", "  6- def other():", "  7:     return 2",
    ]  # fmt: skip
    near = await bench.call("search", pattern="def ", context=4, glob="*.py")
    numbers = [line.split()[0].rstrip(":-") for line in near.text.split("\n")[2:]]
    assert numbers == sorted(set(numbers), key=int), "a line between two hits is there once"
    assert (await bench.call("search", pattern="return 9", path="b.txt")).status == "ok"
    assert (await bench.call("search", pattern="x", glob="*a*a*a*a*a")).status == "failed"
    assert (await bench.call("search", pattern="x", path="nowhere")).status == "not_found"


async def test_a_read_that_finds_nothing_three_times_stops(bench):
    bench.put("a.py", SOURCE)
    texts = [(await bench.call("read", path="a.py", symbol="nope")).text for _ in range(3)]
    assert "no symbol nope" in texts[0]
    assert "asked this before" in texts[1]
    assert "no symbol nope" not in texts[2]
    bench.put("a.py", SOURCE + "\n\ndef nope():\n    pass\n")
    assert (await bench.call("read", path="a.py", symbol="nope")).status == "ok"


async def test_find_gives_paths_that_read_back(bench):
    bench.put("src/a.py", SOURCE)
    found = await bench.call("find", name="run")
    line = found.text.split("\n")[1]
    assert line == "src/a.py::A/run lines 2-3 method | def run(self)"
    assert (await bench.call("find", name="othr")).text.count("::other") == 1


async def test_glob_lists_in_order_and_says_when_there_is_more(bench):
    for name in ("b.py", "a.py", "sub/c.py", "d.txt", "node_modules/e.py"):
        bench.put(name, "")
    bench.put("p.png", b"\0")
    found = await bench.call("glob", pattern="*.py")
    assert found.text.split("\n") == ["3 files", "a.py", "b.py", "sub/c.py"]
    assert (await bench.call("glob", pattern="*.png")).status == "ok"
    assert (await bench.call("glob", pattern="*.py", path="sub")).text.endswith("sub/c.py")
    few = await bench.call("glob", pattern="*", limit=2)
    assert (few.status, few.text.count("\n")) == ("too_many", 2)
    assert (await bench.call("glob", pattern="*.rs")).status == "not_found"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("search", {"pattern": "nothing_here"}),
        ("search", {"pattern": "return"}),
        ("find", {"name": "qqqqqqqqqq"}),
        ("glob", {"pattern": "*.zig"}),
    ],
)
async def test_a_query_without_news_stops_at_the_third_time(bench, name, given):
    bench.put("a.py", SOURCE)
    first, second, third = [await bench.call(name, **given) for _ in range(3)]
    assert second.status == first.status
    assert second.text.endswith(first.text)
    assert second.text != first.text
    assert (third.status, first.text in third.text) == ("unchanged", False)
    assert "Try another axis" in third.text
    missed = first.status == "not_found"
    assert [miss.tool for miss in bench.ledger.misses] == ([name] if missed else [])
    bench.ledger.forget_all()
    assert (await bench.call(name, **given)).text == first.text


async def test_a_query_with_news_is_answered(bench):
    for n in range(4):
        bench.put(f"f{n}.py", "needle\n")
        assert (await bench.call("search", pattern="needle")).status == "ok"
