"""Every other command: what a person reads, what a machine reads, and the exit code."""

from __future__ import annotations

import json

import pytest

from cli.conftest import SCHEMAS

ID = "019a0000-1111-7222-8333-444455556666"

RUNS = [
    (("read", "a.py::f"), "read", 0),
    (("read", "a.py", "--outline"), "read", 0),
    (("read", "a.py::absent"), "read", 1),
    (("read", "a.py::two"), "read", 1),
    (("outline", "a.py"), "outline", 0),
    (("outline", "folder"), "outline", 1),
    (("find", "size"), "find", 0),
    (("find", "absent"), "find", 1),
    (("context",), "context", 0),
    (("context", "--explain", "AGENTS"), "fragment", 0),
    (("context", "--explain", "nothing at all"), "error", 1),
    (("compact", ID), "compact", 0),
    (("compact", ID, "--focus", "nothing"), "compact", 1),
    (("sessions", "list"), "sessions", 0),
    (("sessions", "show", "019a0000-1"), "session", 0),
    (("sessions", "show", "019a"), "error", 1),
    (("sessions", "show", "zzz"), "error", 1),
    (("sessions", "gc"), "gc", 0),
    (("sessions", "gc", ID), "gc", 0),
    (("sessions", "gc", ID, "--days", "3"), "error", 2),
    (("plugins",), "plugins", 0),
    (("trust", "--list"), "trust", 0),
    (("trust", "--yes"), "trust", 0),
    (("trust",), "error", 3),
    (("doctor",), "doctor", 0),
    (("config", "show"), "config", 0),
]


@pytest.mark.parametrize(("words", "kind", "code"), RUNS)
def test_json_is_one_envelope_of_its_schema(cli, valid, words, kind, code):
    outcome = cli(*words, "--json")
    assert outcome.code == code, outcome.err
    assert valid(outcome.json)["kind"] == kind


@pytest.mark.parametrize(("words", "kind", "code"), RUNS)
def test_for_a_person_it_is_plain_lines(cli, words, kind, code):
    outcome = cli(*words)
    assert outcome.code == code
    assert not set(outcome.out + outcome.err) & {"\x1b", "\u202e"}
    failures = [line for line in outcome.err.splitlines() if line.startswith("novacore: ")]
    assert len(failures) == (1 if code else 0)


def test_every_schema_is_one_and_is_used():
    import jsonschema

    kinds = {kind for _, kind, _ in RUNS} | {"event", "result"}
    files = {path.stem: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
    for schema in files.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert set(files) == kinds


def test_what_was_removed_and_what_was_not_is_told(cli, service):
    outcome = cli("sessions", "gc", "--days", "0")
    assert outcome.out == "3 files of 1 session, 2.0 MiB\n"
    assert "019a0000-2222 is in use" in outcome.err
    assert ("collect", "", 0) in service.seen


def test_a_read_names_its_place_and_version(cli, service):
    outcome = cli("read", "a.py::f", "--max-tokens", "99")
    assert outcome.out == "a.py:2-3  f  function  @9f3c77aa\ndef f():\n    return '\ufffd'\n"
    assert "approximate" in outcome.err
    assert ("read", "a.py::f", False, 99) in service.seen
    data = cli("read", "a.py::f", "--json").json["data"]
    assert data["range"] == {"start_line": 2, "end_line": 3, "start_byte": 5, "end_byte": 20}


def test_a_read_that_could_not_decide_lists_candidates(cli):
    outcome = cli("read", "a.py::two")
    assert outcome.out == "a.py:1-1  two[0]  function\na.py:2-2  two[1]  function\n"
    assert outcome.err == "novacore: ambiguous: two symbols\n"
    assert "nearest: present" in cli("read", "a.py::absent").out


def test_an_outline_is_indented_signatures(cli):
    outcome = cli("outline", "a.py")
    assert outcome.out.splitlines()[1:] == ["        1-9  def Box():", "        3-4    def size():"]
    rows = cli("outline", "a.py", "--json").json["data"]["symbols"]
    assert rows[1]["name_path"] == "Box/size"
    assert (rows[1]["start_line"], rows[1]["name_range"]["start_byte"]) == (3, 4)


def test_a_hostile_file_name_stays_one_line(cli):
    outcome = cli("find", "size")
    assert outcome.out == "we ird.py:3-9  Box/size  def size(self):\n"
    assert "1 of 4 shown" in outcome.err


def test_plugins_of_a_hook_stand_in_their_order(cli, service):
    rows = cli("plugins", "--hook", "spill", "--json").json["data"]["plugins"]
    assert [row["name"] for row in rows] == ["spill_logs", "spill_files"]
    cli("plugins", "--no-load")
    assert service.seen[-2] == ("plugins", False)
    assert "team: ImportError: no team" in cli("plugins").out


def test_sessions_are_listed_newest_first(cli):
    rows = cli("sessions", "list", "--json").json["data"]["sessions"]
    assert [row["title"] for row in rows] == ["Where is it?", "older"]
    shown = cli("sessions", "show", ID, "--last", "1").out
    assert "2 earlier events" in shown
    assert shown.splitlines()[-1].split() == [
        "3",
        "2026-01-01T00:00:00",
        "tool_result",
        "read:",
        "x",
    ]


def test_trust_needs_a_terminal_or_a_word_and_can_be_taken_back(cli, tmp_path):
    assert "no terminal to ask on" in cli("trust").err
    assert cli("trust", "--yes").out.startswith("trusted ")
    assert f"{tmp_path}  changed since: a.toml" in cli("trust", "--list").out
    assert cli("trust", "--revoke", str(tmp_path)).out.startswith("not trusted ")
    assert cli("trust", "--list").out == "nothing is trusted\n"


def test_the_doctor_fails_when_something_must_be_fixed(cli, tmp_path):
    (tmp_path / "broken").mkdir()
    outcome = cli("doctor", "--cwd", "broken")
    assert outcome.code == 1
    assert "  FIX   key     absent\n" in outcome.out
    assert f"\n{' ' * 16}export ANTHROPIC_API_KEY" in outcome.out
    assert outcome.out.endswith("1 thing to fix\n")


def test_settings_show_their_origin_when_asked(cli):
    assert cli("config", "show").out == 'limits.steps = 200\nmodel        = "auto"\n'
    assert "# /c/config.toml (user)" in cli("config", "show", "--origin").out


def test_compact_passes_the_focus_on(cli, service):
    assert "90k -> 40k tokens by compact_state" in cli("compact", "019a", "--focus", "tests").out
    assert ("compact", ID, "tests") in service.seen
