"""Reads of every kind of file, and that no answer is ever too large."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.code.reads import Target, parse_spec, read
from novacore.code.text import version_of
from novacore.tokens import estimate

BUDGET = 300


@pytest.mark.parametrize(
    ("spec", "path", "target"),
    [
        ("a/b.py", "a/b.py", Target()),
        ("a.py::B/c[1]", "a.py", Target(symbol="B/c[1]")),
        ("a.rs::impl fmt::Display for A/fmt", "a.rs", Target(symbol="impl fmt::Display for A/fmt")),
        ("a.py:3-9", "a.py", Target(start_line=3, end_line=9)),
        ("a.py:3", "a.py", Target(start_line=3, end_line=3)),
        ("a.log@10-20", "a.log", Target(start_byte=10, end_byte=20)),
        ("C:x", "C:x", Target()),
        ("::x", "::x", Target()),
        ("user@host", "user@host", Target()),
    ],
)
def test_a_spec_is_taken_apart(spec, path, target):
    assert parse_spec(spec) == (path, target)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="ab é日\t\f\u2028", max_size=300), max_size=60))
def test_lines_read_in_turn_give_the_whole_file(lines):
    data = "\n".join(lines).encode()
    line, pieces = 1, []
    while True:
        result = read("a.txt", data, Target(start_line=line), max_tokens=BUDGET)
        if result.status == "not_found":
            break
        assert estimate(result.text) <= BUDGET
        if result.status == "too_large":
            assert result.range.start_line == line
            pieces.append(data[result.range.start_byte : result.range.end_byte])
        else:
            pieces.append(result.text.encode())
        line = result.range.end_line + 1
        if line > result.total_lines:
            break
    assert b"".join(pieces) == data


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=4000), st.integers(1, 700))
def test_bytes_read_in_turn_give_the_whole_file(content, step):
    data = content.encode().replace(b"\0", b"")
    at, pieces = 0, []
    while at < len(data):
        target = Target(start_byte=at, end_byte=at + step)
        result = read("a.txt", data, target, max_tokens=BUDGET)
        assert (result.status, result.range.start_byte) == ("ok", at)
        assert estimate(result.text) <= BUDGET
        pieces.append(result.text.encode())
        step = step if result.range.end_byte > at else step + 1
        at = result.range.end_byte
    assert b"".join(pieces) == data


def test_a_small_file_comes_whole_and_a_large_one_as_its_outline():
    small = b"def f():\n    return 1\n"
    whole = read("a.py", small, Target())
    assert (whole.status, whole.text.encode(), whole.total_lines) == ("ok", small, 2)
    large = small * 201
    found = read("a.py", large, Target())
    assert found.status == "too_large"
    assert "1-2 f[0] | def f()" in found.text
    assert "402 lines" in found.reason
    assert len(found.outline) == 201


def test_a_large_symbol_comes_as_signature_and_children():
    body = "".join(f"    def m{n}(self):\n        return {n} * 1234567\n\n" for n in range(400))
    data = f"class Big:\n{body}".encode()
    found = read("a.py", data, Target(symbol="Big"), max_tokens=2000)
    assert found.status == "too_large"
    assert found.text.startswith("1-1200 Big | class Big\n")
    assert estimate(found.text) <= 2000
    assert (found.range.start_line, len(found.outline)) == (1, 400)
    assert read("a.py", data, Target(symbol="Big/m7")).status == "ok"


def test_an_outline_is_bounded_and_says_what_is_missing():
    data = "".join(f"def function_{n}(a, b): pass\n" for n in range(5000)).encode()
    found = read("a.py", data, Target(outline=True))
    assert found.status == "ok"
    assert len(found.text) < 20_000
    assert "more symbols" in found.text


@pytest.mark.parametrize(
    ("target", "status", "words"),
    [
        (Target(start_line=9), "not_found", "3 lines"),
        (Target(start_line=3, end_line=2), "failed", "before"),
        (Target(start_line=2, end_line=99), "ok", ""),
        (Target(start_byte=99), "not_found", "bytes"),
        (Target(start_byte=3, end_byte=1), "failed", "before"),
        (Target(symbol="x"), "unsupported", "line ranges work"),
        (Target(symbol="beta"), "unsupported", "lines 2"),
    ],
)
def test_ranges_that_are_not_there(target, status, words):
    result = read("a.txt", b"alpha\nbeta\ngamma", target)
    assert result.status == status
    assert words in result.reason


def test_many_and_absent_symbols():
    data = "".join(f"class A{n}:\n    def run(self): pass\n" for n in range(30)).encode()
    many = read("a.py", data, Target(symbol="run"))
    assert (many.status, many.text, len(many.candidates)) == ("too_many", "", 20)
    none = read("a.py", data, Target(symbol="rum"))
    assert none.status == "not_found"
    assert "A0/run" in none.nearest


def test_stale_says_where_it_is_now():
    old = b"def f(): pass\n"
    new = b"\n\n" + old
    result = read("a.py", new, Target(symbol="f"), expected_version=version_of(old))
    assert (result.status, result.text, result.version) == ("stale", "", version_of(new))
    assert result.range.start_line == 3


def test_binary_and_empty_files():
    assert read("a.bin", b"\x7fELF\0", Target()).status == "unreadable"
    assert read("a.bin", b"\x7fELF\0", Target(start_byte=0, end_byte=2)).status == "unreadable"
    empty = read("a.py", b"", Target())
    assert (empty.status, empty.text, empty.total_lines) == ("ok", "", 0)


def test_other_encodings():
    data = codecs.BOM_UTF16_LE + "def é():\r\n    return 1\r\n".encode("utf-16-le")
    found = read("a.py", data, Target(symbol="é"))
    assert (found.status, found.encoding) == ("ok", "utf-16-le")
    assert found.text == "def é():\r\n    return 1"
    assert data[found.range.start_byte : found.range.end_byte].decode("utf-16-le") == found.text
    marked = read("a.py", codecs.BOM_UTF8 + b"def f(): pass", Target(symbol="f"))
    assert (marked.range.start_line, marked.range.start_byte, marked.text) == (
        1,
        3,
        "def f(): pass",
    )
    unknown = read("a.py", b"def f(): return '\xe9'\n", Target(symbol="f"))
    assert (unknown.status, unknown.encoding) == ("ok", "unknown")
    assert unknown.text.encode("utf-8", "surrogateescape") == b"def f(): return '\xe9'"


def test_50_mb_by_lines_and_bytes():
    line = b"x" * 99 + b"\n"
    data = line * 500_000
    last = read("a.log", data, Target(start_line=499_999, end_line=500_000))
    assert (last.status, last.text.encode()) == ("ok", line * 2)
    piece = read("a.log", data, Target(start_byte=40_000_000, end_byte=40_000_100))
    assert piece.text.encode() == line
    assert read("a.log", data, Target()).status == "too_large"
    assert read("a.py", data, Target(symbol="f")).status == "too_large"


def test_a_5_mb_line_is_readable_in_pieces():
    data = b"{" + b'"key": "value", ' * 320_000 + b"}"
    whole = read("a.json", data, Target(start_line=1))
    assert whole.status == "too_large"
    assert f"0-{len(data)}" in whole.reason
    piece = read("a.json", data, Target(start_byte=0))
    assert piece.status == "ok"
    assert data.startswith(piece.text.encode())
    assert f"start_byte={piece.range.end_byte}" in piece.reason
