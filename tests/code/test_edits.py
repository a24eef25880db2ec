"""Edits change the bytes that they name and no other."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from novacore.code.diffs import MAX_CHARS
from novacore.code.edits import Edit, apply_edits
from novacore.code.text import version_of


def apply(data, *edits, path="a.py", based_on="", last_seen=None):
    return apply_edits(
        path, data, edits, based_on=based_on or version_of(data), last_seen=last_seen
    )


TEXTS = st.text(alphabet="ab \n\r\té", max_size=40)


@given(TEXTS, TEXTS, TEXTS, TEXTS, st.booleans())
def test_bytes_around_the_region_stay(before, old, new, after, marked):
    # CR LF is one line ending: a text that begins with its second half takes the first along.
    assume(not (before.endswith("\r") and old.startswith("\n")))
    data = (codecs.BOM_UTF8 if marked else b"") + (before + old + after).encode()
    result = apply(data, Edit(old=old, new=new))
    if result.status != "ok":
        assert result.data == data
        assert result.reason
        return
    head = (codecs.BOM_UTF8 if marked else b"") + before.encode()
    assert result.data.startswith(head)
    assert result.data.endswith(after.encode())
    assert result.version == version_of(result.data) != version_of(data)


LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "é"]), min_size=1, max_size=8)
ENDS = st.sampled_from(["\n", "\r\n"])


@given(LINES, st.data(), st.booleans())
def test_lines_keep_their_own_endings(lines, draw, final):
    ends = [draw.draw(ENDS) for _ in lines]
    if not final:
        ends[-1] = ""
    rows = ["".join(pair).encode() for pair in zip(lines, ends, strict=True)]
    first = draw.draw(st.integers(1, len(rows)))
    last = draw.draw(st.integers(first, len(rows)))
    assume(rows[-1])
    result = apply(b"".join(rows), Edit(start_line=first, end_line=last, new="NEW\nTWO\n"))
    assert result.status == "ok"
    middle = result.data[len(b"".join(rows[: first - 1])) :]
    middle = middle[: len(middle) - len(b"".join(rows[last:]))]
    assert result.data == b"".join(rows[: first - 1]) + middle + b"".join(rows[last:])
    assert middle.replace(b"\r\n", b"\n") == b"NEW\nTWO" + (b"\n" if ends[last - 1] else b"")
    if set(ends) == {"\r\n"}:
        assert result.data.count(b"\n") == result.data.count(b"\r\n")


def test_old_matches_whatever_the_line_endings():
    data = b"one\r\ntwo\r\nthree\r\n"
    result = apply(data, Edit(old="one\ntwo", new="ONE\ntwo\nmore"), path="a.txt")
    assert result.data == b"ONE\r\ntwo\r\nmore\r\nthree\r\n"


def test_several_edits_are_made_together_or_not_at_all():
    data = b"a = 1\nb = 2\nc = 3\n"
    good = [Edit(old="a = 1", new="a = 10"), Edit(start_line=3, end_line=3, new="c = 30")]
    assert apply(data, *good).data == b"a = 10\nb = 2\nc = 30\n"
    bad = apply(data, *good, Edit(old="missing", new=""))
    assert (bad.status, bad.data) == ("not_found", data)
    overlap = apply(data, Edit(old="b = 2", new="x"), Edit(start_line=1, end_line=2, new="y"))
    assert (overlap.status, overlap.data) == ("failed", data)
    assert "line 2" in overlap.reason


def test_insertion_and_deletion_of_lines():
    data = b"a\nb"
    assert apply(data, Edit(start_line=2, end_line=1, new="x")).data == b"a\nx\nb"
    assert apply(data, Edit(start_line=3, end_line=2, new="x\n")).data == b"a\nb\nx"
    assert apply(data, Edit(start_line=1, end_line=1, new="")).data == b"b"
    assert apply(data, Edit(start_line=2, end_line=4, new="x")).status == "failed"


def test_ambiguous_text_names_all_lines():
    data = b"x\ny\nx\nz x\n"
    refused = apply(data, Edit(old="x", new="q"))
    assert refused.status == "ambiguous"
    assert "lines 1, 3, 4" in refused.reason
    assert apply(data, Edit(old="x", new="q", replace_all=True)).data == b"q\ny\nq\nz q\n"


@pytest.mark.parametrize(
    ("line", "old", "words"),
    [
        ("say('hi')", "say(‘hi’)", "LEFT SINGLE QUOTATION MARK"),
        ("\tx = 1", "    x = 1", "TAB"),
        ("a\u00a0= 1", "a = 1", "NO-BREAK SPACE"),
        ("раss = 1", "pass = 1", "CYRILLIC"),
        ("a – b", "a - b", "EN DASH"),
        ("value = 1", "Value = 1", '"v"'),
        ("x = 1", "x = 1 ", "SPACE"),
        ("total = compute(first, second)", "total = compute(first, third)", "most like"),
    ],
)
def test_a_near_miss_says_what_differs(line, old, words):
    result = apply(f"# head\n{line}\n# tail\n".encode(), Edit(old=old, new="q"))
    assert result.status == "not_found"
    assert words in result.reason
    assert "2\t" in result.text


def test_nothing_like_it():
    result = apply(b"alpha\n", Edit(old="qqqqzzzz", new=""))
    assert (result.status, result.text) == ("not_found", "")


@pytest.mark.parametrize(
    "edit",
    [
        Edit(new="x"),
        Edit(old="", new="x"),
        Edit(old="a", symbol="a", new="x"),
        Edit(old="a = 1", new="a = 1"),
        Edit(start_line=0, end_line=5, new="x"),
    ],
)
def test_edits_that_say_nothing_are_refused(edit):
    data = b"a = 1\n"
    result = apply(data, edit)
    assert (result.status, result.data) == ("failed", data)
    assert result.reason


def test_encodings_are_kept_or_the_edit_is_refused():
    latin = "# coding: latin-1\nx = 'é'\n".encode("latin-1")
    assert apply(latin, Edit(old="é", new="ü")).data == latin.replace(b"\xe9", b"\xfc")
    refused = apply(latin, Edit(old="é", new="日"))
    assert (refused.status, refused.data) == ("unreadable", latin)
    wide = codecs.BOM_UTF16_LE + "a\r\nb\r\n".encode("utf-16-le")
    edited = apply(wide, Edit(old="b", new="c\nd"), path="a.txt").data
    assert edited == codecs.BOM_UTF16_LE + "a\r\nc\r\nd\r\n".encode("utf-16-le")
    unknown = b"x = '\xe9'\ny = 1\n"
    assert apply(unknown, Edit(old="y = 1", new="y = 2")).data == b"x = '\xe9'\ny = 2\n"
    assert apply(unknown, Edit(old="y = 1", new="y = 'é'")).status == "unreadable"
    assert apply(b"a\0b", Edit(old="a", new="b")).status == "unreadable"
    assert apply(b"a\n", Edit(old="a", new="\ud800")).status == "unreadable"


def test_a_symbol_is_replaced_whole():
    source = (
        "class A:\n    @property\n    def x(self):\n        return 1\n\n    def y(self): pass\n"
    )
    new = "@property\ndef x(self):\n    return 2"
    result = apply(source.encode(), Edit(symbol="A/x", new=new))
    assert result.data.decode() == source.replace("return 1", "return 2")
    gone = apply(source.encode(), Edit(symbol="A/y", new=""))
    assert gone.data.decode() == source.replace("    def y(self): pass\n", "")


def test_typescript_declarations_keep_one_keyword():
    source = "export const a = () => 1;\nexport class B {\n  m() {\n    return 1;\n  }\n}\n"
    const = apply(source.encode(), Edit(symbol="a", new="export const a = () => 2;\n"), path="m.ts")
    assert const.data.decode() == source.replace("=> 1", "=> 2")
    method = apply(
        source.encode(), Edit(symbol="B/m", new="m() {\n    return 2;\n  }"), path="m.ts"
    )
    assert method.data.decode() == source.replace("return 1", "return 2")
    shared = apply(
        b"const a = 1, b = () => 2;\n", Edit(symbol="b", new="const b = 3;"), path="m.ts"
    )
    assert shared.status == "failed"
    assert "shares" in shared.reason


def test_a_symbol_that_cannot_be_told_is_refused():
    source = b"def f(): pass\ndef f(): pass\n"
    assert apply(source, Edit(symbol="f", new="")).status == "ambiguous"
    assert apply(source, Edit(symbol="g", new="")).status == "not_found"
    assert apply(source, Edit(symbol="f[1]", new="def f(): return 1")).status == "ok"
    assert apply(b"x", Edit(symbol="f", new=""), path="a.txt").status == "unsupported"


def test_a_file_that_stops_parsing_is_changed_with_a_warning():
    result = apply(b"def f():\n    return 1\n", Edit(old="f()", new="f(:"))
    assert result.status == "ok"
    assert "does not parse now (line 1)" in result.text
    assert "WARNING" not in apply(b"def f(:\n", Edit(old="f", new="g")).text


def test_an_older_version_without_its_content():
    data = b"a = 1\nb = 2\n"
    unique = apply(data, Edit(old="a = 1", new="a = 3"), based_on="0" * 16)
    assert unique.status == "ok"
    lines = apply(data, Edit(start_line=1, end_line=1, new="a = 3"), based_on="0" * 16)
    assert (lines.status, lines.data) == ("stale", data)
    twice = apply(b"a\na\n", Edit(old="a", new="b", replace_all=True), based_on="0" * 16)
    assert twice.status == "stale"


BODY = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), min_size=1, max_size=7)


@given(BODY, BODY, st.data())
def test_lines_of_an_older_version_are_never_put_on_other_text(seen, now, draw):
    first = draw.draw(st.integers(1, len(seen)))
    last = draw.draw(st.integers(first, len(seen)))
    old, new = ("".join(f"{line}\n" for line in lines).encode() for lines in (seen, now))
    edit = Edit(start_line=first, end_line=last, new="EDITED")
    result = apply(new, edit, based_on=version_of(old), last_seen=old)
    assert result.status in ("ok", "stale")
    if result.status == "stale":
        assert result.data == new
    else:
        block = b"".join(f"{line}\n".encode() for line in seen[first - 1 : last])
        assert result.data.replace(b"EDITED\n", block) == new


def test_more_places_than_can_be_shown_are_refused_and_none_is_left_out():
    refused = apply(b"a\n" * 200_001, Edit(old="a", new="b", replace_all=True), path="a.txt")
    assert (refused.status, refused.data) == ("too_many", b"a\n" * 200_001)
    assert "more than 200,000 times" in refused.reason


def test_diffs_are_bounded():
    lines = [f"line {n}" for n in range(60_000)]
    data = "\n".join(lines).encode()
    far = [Edit(old="line 5\n", new="LINE 5\n"), Edit(old="line 59990\n", new="LINE 59990\n")]
    result = apply(data, *far, path="a.txt")
    assert result.status == "ok"
    assert len(result.diff) < 40_000
    near = apply(data, Edit(old="line 59990\n", new="X\n"), path="a.txt")
    assert near.diff.split("\n")[2] == "@@ -59988,7 +59988,7 @@"
    everything = apply(data, Edit(old="line", new="LINE", replace_all=True), path="a.txt")
    assert everything.status == "ok"
    assert everything.data == data.replace(b"line", b"LINE")
    assert len(everything.diff) <= MAX_CHARS + 200
