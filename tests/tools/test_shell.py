import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.tools.command_rules import allows, denying
from novacore.tools.shell import parse
from novacore.tools.shell_wrappers import everything


def names(command):
    return [simple.name for simple in everything(command).commands]


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("git status && rm -rf x", ["git", "rm"]),
        ("ls | sh", ["ls", "sh"]),
        ("a; b & c || d\ne", ["a", "b", "c", "d", "e"]),
        ("echo $(whoami) `id`", ["echo", "whoami", "id"]),
        ('echo "${X:-$(id)}"', ["echo", "id"]),
        ("diff <(a) >(b)", ["diff", "a", "b"]),
        ("(cd x; ls)", ["cd", "ls"]),
        ("{ ls; }", ["ls"]),
        ("if a; then b; else c; fi", ["a", "b", "c"]),
        ("while a; do b; done", ["a", "b"]),
        ("for i in $(a); do b; done", ["a", "b"]),
        ("case $(a) in x) b;; esac", ["a", "b"]),
        ("cat <<EOF\n$(id)\nEOF", ["cat", "id"]),
        ("cat <<'EOF'\n$(id)\nEOF", ["cat"]),
        ("X=$(id)", ["", "id"]),
        ("! /usr/bin/sudo id", ["sudo", "id"]),
        ("env -u A B=1 sudo -u me id", ["env", "sudo", "id"]),
        ("timeout -k 1 5 nice -n 3 rm x", ["timeout", "nice", "rm"]),
        ("xargs -n 1 rm", ["xargs", "rm"]),
        ("find . -exec rm {} \\;", ["find", "rm"]),
        ("bash -lc 'rm x; ls'", ["bash", "rm", "ls"]),
        ("eval rm x", ["eval", "rm"]),
        ('g"i"t st', ["git"]),
        ("\\rm x", ["rm"]),
    ],
)
def test_every_simple_command_is_found(command, programs):
    parsed = everything(command)
    assert parsed.problem == ""
    assert names(command) == programs


@pytest.mark.parametrize(
    "command",
    [
        "if true; then",
        "ls() { rm x; }; ls",
        "echo 'open",
        "{ls,-la}",
        "a\rb",
        "l\\\ns",
        "ls\0",
        "x" * 60_000,
        "\ud800",
        "eval $X",
        'bash -c "$X"',
        "env -S 'rm x'",
        "(" * 300 + "a" + ")" * 300,
    ],
)
def test_what_is_not_certain_is_said(command):
    assert everything(command).problem


@pytest.mark.parametrize(
    "word", ["$X", "*.py", "~me/x", "a{b,c}", "$(x)", "`x`", "$'a'", '"$X"', "a?"]
)
def test_words_of_run_time_have_no_value(word):
    assert parse(f"ls {word}").commands[0].argv[1] is None


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        ("a\\ b", "a b"),
        ("a'b'\"c\"", "abc"),
        ('"\\$X"', "$X"),
        ("-1", "-1"),
        ("'$X'", "$X"),
        ("--f='x y'", "--f=x y"),
    ],
)
def test_quoted_words_have_their_value(word, value):
    assert parse(f"ls {word}").commands[0].argv[1] == value


def test_redirects_are_listed_without_descriptors():
    found = parse("a 2>&1 >out <in &>all 2>/dev/null >$X").redirects
    assert [redirect.target for redirect in found] == ["out", "in", "all", "/dev/null", None]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ls rm$(){}[]'\"`;&|<>\\\n*~=#!-/é\0", max_size=40))
def test_any_text_is_parsed_without_an_exception(command):
    parsed = everything(command)
    assert parsed.problem or all(isinstance(simple.argv, tuple) for simple in parsed.commands)


@pytest.mark.parametrize(
    ("rule", "command", "matches"),
    [
        ("git status", "git status", True),
        ("git status", "git status -s", False),
        ("git status", "git statusx", False),
        ("git *", "git", True),
        ("git *", "git push -f", True),
        ("git *", "gitx", False),
        ("git * --stat", "git log --stat", True),
        ("git * --stat", "git log x --stat", False),
        ("pytest tests/*", "pytest tests/a", True),
        ("ls", "/bin/ls", True),
        ("ls", "./ls", False),
        ("ls", "/tmp/ls", False),
        ("ls", "LD_PRELOAD=x ls", False),
        ("ls *", "ls $X", False),
        ("ls *", "ls *.py", False),
        ("exact:ls", "ls", False),
        ("'", "ls", False),
        ("", "ls", False),
    ],
)
def test_an_allow_rule_matches_words(rule, command, matches):
    assert allows([rule], parse(command).commands[0]) == matches


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("sudo *", "/usr/bin/sudo id"),
        ("sudo", "SUDO id"),
        ("sudo", "xargs sudo rm"),
        ("git push", "git push -f"),
        ("rm -rf *", "rm $X a"),
        ("curl", "a | (curl x)"),
        ("curl", "FOO=1 curl x"),
    ],
)
def test_a_deny_rule_finds_its_program_wherever_it_stands(rule, command):
    assert denying([rule], everything(command).commands) == rule


def test_a_deny_rule_is_no_string_prefix():
    assert denying(["sudo", "git push"], everything("sudoku; git pushx; git status").commands) == ""
