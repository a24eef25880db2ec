"""The commands over the real service: what they print is what the schemas say."""

from __future__ import annotations

import pytest

from novacore.config.folders import config_dir

CODE = '''class Box:
    """A box."""

    def size(self):
        return 1
'''


@pytest.fixture(autouse=True)
def workspace(tmp_path):
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\ndef f():\n    pass\n")
    (tmp_path / "binary.bin").write_bytes(bytes(range(256)))
    (tmp_path / "empty.py").write_text("")
    (tmp_path / ".env").write_text("ANTHROPIC_BASE_URL=http://evil.example\n")
    project = tmp_path / ".novacore" / "config.toml"
    project.parent.mkdir()
    project.write_text('mode = "accept-edits"\n')


@pytest.mark.parametrize(
    ("words", "kind", "code"),
    [
        (("read", "a.py::Box/size"), "read", 0),
        (("read", "a.py:2-3"), "read", 0),
        (("read", "a.py@0-5"), "read", 0),
        (("read", "a.py", "--outline"), "read", 0),
        (("read", "a.py::nothing"), "read", 1),
        (("read", "nowhere.py"), "read", 1),
        (("read", "."), "read", 1),
        (("read", "../../../../../../etc/passwd"), "read", 3),
        (("read", ".env"), "read", 3),
        (("read", "binary.bin"), "read", 1),
        (("read", "latin.py::f"), "read", 0),
        (("read", "empty.py"), "read", 0),
        (("outline", "a.py"), "outline", 0),
        (("outline", "nowhere.py"), "outline", 1),
        (("find", "size"), "find", 0),
        (("sessions", "list"), "sessions", 0),
        (("sessions", "show", "nothing"), "error", 1),
        (("context",), "error", 2),
        (("compact", "nothing"), "error", 1),
        (("plugins", "--no-load"), "plugins", 0),
        (("plugins",), "plugins", 0),
        (("trust", "--list"), "trust", 0),
        (("trust", "--yes"), "trust", 0),
        (("trust", "--revoke"), "trust", 0),
        (("config", "show"), "config", 0),
    ],
)
def test_output_follows_its_schema(real_cli, valid, words, kind, code):
    outcome = real_cli(*words, "--json")
    assert outcome.code == code, outcome.err
    assert valid(outcome.json)["kind"] == kind
    person = real_cli(*words)
    assert person.code == code
    assert "Traceback" not in person.err


def test_an_untrusted_project_says_nothing_and_is_named(real_cli):
    outcome = real_cli("config", "show", "--json").json
    rows = {row["key"]: row for row in outcome["data"]["values"]}
    assert (rows["mode"]["value"], rows["mode"]["origin"]) == ("ask", "default")
    assert rows["providers.anthropic.base_url"]["value"] == ""
    assert "not trusted" in outcome["warnings"][0]


def test_what_the_user_ignores_is_not_found_and_still_read(real_cli, tmp_path):
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor/b.py").write_text("def vendored():\n    pass\n")
    assert "vendor/b.py:1-2" in real_cli("find", "vendored").out
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / "config.toml").write_text('ignore = ["vendor/"]\n')
    assert real_cli("find", "vendored").code == 1
    assert real_cli("read", "vendor/b.py::vendored").code == 0


def test_trust_is_given_listed_and_taken_back(real_cli, tmp_path):
    assert real_cli("trust", "--yes").code == 0
    assert "trusted" in real_cli("trust", "--list").out
    outcome = real_cli("config", "show", "--json").json
    assert "mode has no effect in a project's file" in outcome["warnings"][0]
    assert real_cli("trust", "--revoke").code == 0
    assert real_cli("trust", "--list").out == "nothing is trusted\n"


def test_a_corrupt_configuration_is_one_line(real_cli):
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / "config.toml").write_text("a = = 1\n")
    outcome = real_cli("plugins")
    assert outcome.code == 2
    assert outcome.err.startswith(f"novacore: {config_dir()}/config.toml:1: not valid TOML")
    assert outcome.err.count("\n") == 1


def test_a_turn_of_the_navigator_is_shown_and_explained(real_cli, valid):
    asked = ("ask", "Where is Box/size defined?", "--model", "navigator")
    *events, result = real_cli(*asked, "--json").lines
    for event in events:
        valid(event, "event")
    data = valid(result)["data"]
    assert (data["stopReason"], data["exitCode"], data["error"]) == ("end_turn", 0, "")
    assert "a.py" in data["text"]
    session = data["sessionId"]
    assert valid(real_cli("sessions", "show", session[:13], "--json").json)
    manifest = valid(real_cli("context", session, "--json").json)["data"]
    assert sum(row["tokens"] for row in manifest["regions"]) == sum(
        row["tokens"] for row in manifest["fragments"]
    )
    one = real_cli("context", "--explain", manifest["fragments"][-1]["id"], "--json").json
    assert valid(one)["data"]["fragments"][0]["content"]
    person = real_cli(*asked, "--session", session, "--tour")
    assert person.code == 0
    assert "The window" in person.out
    assert real_cli("context", "--html", "w.html").code == 0


def test_compacting_a_short_session_says_that_there_is_nothing_to_gain(real_cli, valid):
    session = real_cli("ask", "size?", "--model", "navigator", "--json").lines[-1]["data"]
    outcome = real_cli("compact", session["sessionId"], "--json")
    assert outcome.code == 1
    assert valid(outcome.json)["kind"] == "compact"


def test_the_doctor_names_what_it_checked(real_cli, valid):
    outcome = real_cli("doctor", "--json")
    assert outcome.err == ""
    assert valid(outcome.json)["data"]["ok"] == (outcome.code == 0)


def test_a_wrong_vocabulary_is_refused_and_none_is_needed(real_cli, tmp_path):
    (tmp_path / "o200k_base.tiktoken").write_text("aGVsbG8= 0\n")
    outcome = real_cli("doctor", "--vocabulary", "o200k_base.tiktoken")
    assert outcome.code == 2
    assert "SHA-256" in outcome.err
    rows = {row["name"]: row for row in real_cli("doctor", "--json").json["data"]["checks"]}
    assert "estimated" in rows["vocabulary"]["value"]
    assert rows["vocabulary"]["group"] == "This installation"


def test_trust_that_lapsed_is_told(real_cli, tmp_path):
    rules = tmp_path / "AGENTS.md"
    rules.write_text("Use tabs.\n")
    assert real_cli("trust", "--yes").code == 0
    assert "not trusted" not in real_cli("find", "size").err
    rules.write_text("Use spaces.\n")
    told = "note: not trusted any more, since it changed: instructions AGENTS.md (changed)"
    assert told in real_cli("find", "size").err
