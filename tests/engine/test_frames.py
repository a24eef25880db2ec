"""Frames: stable, distinct, never closed from inside, and the text unaltered."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from novacore.engine.frames import frame

MARK = re.compile(r'^<memory mark="([0-9a-f]{10})"')


def mark_of(framed):
    return MARK.match(framed)[1]


@given(st.text(), st.text(min_size=1, max_size=30))
def test_the_text_stands_unaltered_between_its_marks(text, id):
    framed = frame(text, kind="memory", fragment=id, key=b"k" * 32)
    mark = mark_of(framed)
    assert framed == f'<memory mark="{mark}">\n{text}\n</memory mark="{mark}">'
    assert mark not in text


def test_the_same_fragment_has_the_same_mark_and_others_do_not():
    def make(id, key):
        return mark_of(frame("x", kind="memory", fragment=id, key=key))

    assert make("a", b"1") == make("a", b"1")
    assert len({make("a", b"1"), make("b", b"1"), make("a", b"2")}) == 3


def test_text_that_holds_its_own_mark_gets_the_next_one():
    plain = frame("x", kind="memory", fragment="a", key=b"1")
    spoof = frame(f"y {mark_of(plain)}", kind="memory", fragment="a", key=b"1")
    assert mark_of(spoof) != mark_of(plain)


def test_a_source_cannot_break_out_of_its_attribute():
    framed = frame("x", kind="file", fragment="a", key=b"1", source='a" onload="b\n<c>')
    first = framed.split("\n")[0]
    assert first.count('"') == 4
    assert first.endswith('">')
