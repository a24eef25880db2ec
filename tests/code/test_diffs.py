"""Diffs that ``patch`` would take."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from novacore.code.diffs import SHORT_LINES, is_cut, shortened, unified
from novacore.code.text import lines_of

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "e", ""]), max_size=25)


@given(LINES, LINES, st.booleans(), st.booleans())
def test_a_diff_leads_from_one_text_to_the_other(old, new, old_ends, new_ends):
    before = "\n".join(old) + ("\n" if old_ends else "")
    after = "\n".join(new) + ("\n" if new_ends else "")
    assert patched(lines_of(before), unified("f", before, after)) == after


def patched(lines, diff):
    """What ``patch`` makes of it."""
    out, at, kept = [], 0, False
    for line in diff.split("\n")[2:-1]:
        if line.startswith("@@"):
            start, size = (int(n) for n in line.split(" ")[1][1:].split(","))
            begin = start - 1 if size else start
            out += lines[at:begin]
            at = begin
        elif line.startswith("\\"):
            if kept:
                out[-1] = out[-1].removesuffix("\n")
        else:
            kept = line[0] in " +"
            if line[0] in " -":
                assert lines[at].removesuffix("\n") == line[1:]
                at += 1
            if kept:
                out.append(line[1:] + "\n")
    return "".join([*out, *lines[at:]])


def test_changed_line_endings_are_seen():
    diff = unified("f", "a\r\nb\n", "a\nb\n")
    assert "-a␍\n+a\n" in diff
    assert "␍" not in unified("f", "a\r\nb\r\n", "a\r\nc\r\n")


def test_hunks_have_the_usual_numbers():
    before = [f"{n}\n" for n in range(50)]
    after = [*before[:20], "new\n", *before[21:40], *before[41:]]
    ours = unified("f", "".join(before), "".join(after)).split("\n")
    usual = difflib.unified_diff(before, after, "a/f", "b/f", lineterm="\n")
    assert ours[:-1] == [line.removesuffix("\n") for line in usual]


def test_a_change_that_is_too_long_to_compare_is_shown_as_a_whole():
    before = "first\n" + "same\n" * 21_000 + "last\n"
    after = "first\n!\n" + "same\n" * 20_500 + "last!\n"
    diff = unified("f", before, after)
    assert "@@ -1,21002 +1,20503 @@" in diff
    assert patched(lines_of(before), diff) == after
    assert not is_cut(diff)


def test_a_shortened_diff_says_what_it_leaves_out():
    diff = unified("f", "", "".join(f"{n}\n" for n in range(1_000)))
    short = shortened(diff)
    assert is_cut(short)
    assert short.count("\n") == SHORT_LINES + 1
    assert short.endswith(f"... {1_003 - SHORT_LINES} more lines of this diff are not shown\n")
    assert shortened(short.partition("@@")[0]) == short.partition("@@")[0]
    assert is_cut(unified("f", "", "x" * 2_000_000))
