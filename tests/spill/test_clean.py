"""Terminal noise: what a person would have seen at the end stays, in linear time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.engine.clean import clean

ESC = "\x1b"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain text\n\ttab\n", "plain text\n\ttab\n"),
        (f"{ESC}[1;31mERROR{ESC}[0m: x", "ERROR: x"),
        (f"{ESC}]0;title\x07ok", "ok"),
        (f"{ESC}]8;;https://a.example/{ESC}\\link{ESC}]8;;{ESC}\\", "link"),
        (f"{ESC}]1337;File=inline=1:{'QUJD' * 999}\x07after", "after"),
        (f"{ESC}Pq#0~~{ESC}\\after{ESC}_Gm=1;AAAA{ESC}\\", "after"),
        (f"{ESC}(B{ESC}=a{ESC}7b{ESC}", "ab"),
        ("\x9b31mred\x9b0m", "red"),
        ("a\x00b\x07c\x7fd\x85e", "abcde"),
        ("one\r\ntwo\r\r\n", "one\ntwo\n"),
        ("10%\r55%\r100%\n", "100%\n"),
        ("abcdef\rXY\n", "XYcdef\n"),
        (f"long frame\r{ESC}[Kdone\n", "done\n"),
        (f"keep this {ESC}[0Kend", "keep this end"),
        ("N\bNA\bAM\bM", "NAM"),
        ("wrong\b\b\bite", "write"),
        (f"a{ESC}[3Cb{ESC}[2Dc", "a  cb"),
        (f"one\ntwo\n{ESC}[2A{ESC}[2KONE{ESC}[2B\rlast\n", "ONE\ntwo\nlast\n"),
        ("page\x0cnext", "page\nnext"),
        ("bad \udc80 and \ud83d\ude00", "bad \ufffd and 😀"),
    ],
)
def test_shows_what_a_terminal_would(raw, shown):
    assert clean(raw) == shown


def test_the_last_frame_of_each_progress_is_kept_and_the_others_are_not():
    frames = [f"a.bin {n}%\r" for n in range(101)] + [f"b.bin {n}%\r" for n in range(0, 60, 3)]
    assert clean("".join(frames) + "\n") == "a.bin 100%\nb.bin 57%\n"
    one = "".join(f"[{n}%] Building {n}.o\r" for n in range(101))
    assert clean(one + "\nok\n") == "[100%] Building 100.o\nok\n"


@pytest.mark.parametrize(
    "raw",
    [f"Done{ESC}[2K", f"50%\r{ESC}[K\r", "only frame\r          \r", f"{ESC}[31mred{ESC}[1K"],
)
def test_what_erases_itself_whole_leaves_its_last_frame(raw):
    assert clean(raw).strip()


def test_an_unfinished_sequence_does_not_swallow_what_follows():
    text = f"{ESC}]0;never ended\nthe error\n{ESC}[31\nmore{ESC}Pdata\nlast\x07"
    assert [part for part in ("the error", "more", "last") if part not in clean(text)] == []


def test_colours_that_lost_their_escape_go_where_a_line_proves_them():
    assert (
        clean("[[1;31mERROR[m] boom\n[1;31m  more:\n  end[m\n") == "[ERROR] boom\n  more:\n  end\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "rate(http_requests[5m]) > rate(errors[30m])\n",
        "RED='\\033[1;31m'; echo -e \"\\e[1mx\\e[0m\"\n",
        "matrix[m] = column[1m]\n",
        "took [3m] of [0m]\n",
    ],
)
def test_ordinary_text_that_resembles_colours_stays(text):
    assert clean(text) == text


def test_hostile_sizes_take_linear_time():
    million = 1_000_000
    assert clean("abcd\r" * million) == "abcd"
    assert clean(f"{ESC}]" * million) == ""
    assert clean("[1;34mINFO[m] " * 300_000).startswith("INFO] INFO]")
    assert len(clean("x" * million + f"\n{ESC}[A" * 50_000)) <= million + 50_001
    assert len(clean(f"{ESC}[9999Cx" * 20_000)) < 90 * 20_000


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@given(
    st.lists(
        st.one_of(
            st.characters(), st.sampled_from(["\x1b[", "\x1b]", "K", "2J", "A", "\r", "\n", "[0m"])
        )
    ).map("".join)
)
@settings(max_examples=300, deadline=None)
def test_no_control_byte_is_left_and_cleaning_twice_changes_nothing(text):
    shown = clean(text)
    assert not CONTROL.search(shown)
    assert clean(shown) == shown
    shown.encode("utf-8")
