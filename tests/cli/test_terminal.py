"""On a terminal: permission questions, colours, and nothing that a file could draw."""

from __future__ import annotations

import contextlib
import os
import signal

import pytest

pty = pytest.importorskip("pty", reason="terminals are opened the POSIX way")


class Terminal:
    """A terminal with a person at it; ``screen`` is what stderr and stdout showed."""

    def __init__(self, start, *words, **environ):
        self._master, slave = pty.openpty()
        environ = {"TERM": "xterm-256color", "COLUMNS": "100", **environ}
        self.process = start(*words, stdin=slave, stdout=slave, stderr=slave, env=environ)
        os.close(slave)
        self.screen = ""

    def until(self, words, times=1):
        while self.screen.count(words) < times:
            data = os.read(self._master, 65_536)
            self.screen += data.decode("utf-8", "replace")
        return self

    def type(self, text):
        os.write(self._master, text.encode())
        return self

    def end(self):
        with contextlib.suppress(OSError):
            while data := os.read(self._master, 65_536):
                self.screen += data.decode("utf-8", "replace")
        os.close(self._master)
        return self.process.wait(timeout=20)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("o\n", "answered once: "),
        ("session\n", "answered session: "),
        ("a\n", "answered always: "),
        ("r not now\n", "answered reject: not now"),
        ("\n?\nwhat\n", "answered reject: the answer could not be understood"),
        ("\x04", "answered reject: the input ended"),
    ],
)
def test_a_person_is_shown_what_would_happen_and_answers(start, typed, answer):
    terminal = Terminal(start, "ask", "edit", "it").until("REASON: ")
    for key in typed.splitlines(keepends=True):
        terminal.type(key)
    assert terminal.end() == 0
    assert answer in terminal.screen
    assert "Edit a.py" in terminal.screen
    assert "! unsaved" in terminal.screen
    assert "always records the rule: edit a.py" in terminal.screen
    assert "401 lines more" in terminal.screen


def test_the_rest_of_a_long_detail_is_shown_when_asked_for(start):
    terminal = Terminal(start, "ask", "edit").until("REASON: ")
    assert terminal.screen.count("+new") == 100
    terminal.type("d\n").until("REASON: ", times=2)
    terminal.type("o\n")
    assert terminal.end() == 0
    assert terminal.screen.count("+new") == 300


def test_ctrl_c_at_a_question_answers_nothing(start):
    terminal = Terminal(start, "ask", "edit").until("REASON: ")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
    assert "interrupted after 0 steps" in terminal.screen


def test_text_of_a_model_or_file_cannot_drive_the_terminal(start):
    terminal = Terminal(start, "ask", "hostile", NO_COLOR="1")
    assert terminal.end() == 0
    assert "\x1b[2J" not in terminal.screen
    assert "\u202e" not in terminal.screen
    assert "\\x1b[2J" in terminal.screen


def test_colours_on_a_terminal_and_none_under_no_color(start):
    coloured, bare = Terminal(start, "context"), Terminal(start, "context", NO_COLOR="1")
    assert (coloured.end(), bare.end()) == (0, 0)
    assert "\x1b[38" in coloured.screen
    assert "\x1b[3" not in bare.screen


def test_trust_shows_what_would_run_and_takes_three_answers(start, tmp_path):
    yes = Terminal(start, "trust").until("everything: ")
    assert "evil.py" in yes.screen
    assert "touch PWNED" in yes.screen
    yes.type("i\n").type("t\n")
    assert yes.end() == 0
    assert f"trusted     {tmp_path}" in yes.screen
    no = Terminal(start, "trust").until("everything: ").type("n\n")
    assert no.end() == 3
    assert "stays untrusted" in no.screen


def test_what_takes_longer_than_a_second_shows_that_it_is_alive(start, finished):
    terminal = Terminal(start, "find", "patience").until("looking for patience", times=2)
    assert terminal.end() == 0
    assert terminal.screen.index("\x1b[2K") < terminal.screen.index("Box/size")
    assert "looking" not in finished("find", "patience").err
