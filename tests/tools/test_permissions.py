import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacore.tools.command_risks import UNBOUND, risks
from novacore.tools.permission_store import RecordedRules
from novacore.tools.permissions import Permissions, Rules, rule_for, tightened
from novacore.types import PermissionAnswer, PermissionQuestion


@pytest.fixture
def exec_question(policy):
    def make(command):
        found = risks(command, policy, policy.roots[0])
        return PermissionQuestion(
            id="q",
            call_id="c",
            tool="run",
            subject="exec",
            title="",
            detail=command,
            command=command,
            paths=found.paths,
            warnings=found.warnings,
        )

    return make


def edit(*paths, **more):
    return PermissionQuestion(
        id="q", call_id="c", tool="edit", subject="edit", title="", detail="", paths=paths, **more
    )


def test_p28_f6_every_part_of_a_command_is_judged(shared, policy, exec_question):
    case = shared("cases", "agent", "P28_workspace_trust")
    rows = json.loads((case / "input.json").read_text())["approvals"]
    expected = json.loads((case / "expect.json").read_text())["facts"][5]["check"]["approvals"]
    got = []
    for row in rows:
        allow = tuple(row["allowed"].split(" and ")) if "allowed" in row else ()
        rules = Rules(allow=allow, deny=(row["denied"],) if "denied" in row else ())
        got.append(Permissions(rules=rules).judge(exec_question(row["command"]), policy).outcome)
    assert got == expected


@pytest.mark.parametrize(
    "command",
    [
        "git status && rm -rf x",
        "ls | sh",
        "echo $(whoami) > f",
        "echo hi > f",
        "echo $(whoami)",
        "cat ~/.ssh/id_rsa",
        "cat /etc/passwd",
        "cd .. && cat x",
        "cat --x=../y",
        "cat <../y",
        "ls\nrm x",
    ],
)
def test_generous_rules_still_do_not_cover_paths_and_unknown_words(policy, exec_question, command):
    rules = Rules(allow=("git *", "ls *", "echo *", "cat *", "cd *", "whoami"))
    for permissions in (
        Permissions(rules=rules),
        Permissions("accept-edits", rules, assume_yes=True),
    ):
        assert permissions.judge(exec_question(command), policy).outcome == "ask"


@pytest.mark.parametrize("command", ["ls", "git status", "git diff", "cat src/a.py", "pwd"])
def test_nothing_runs_without_a_rule_of_the_user(policy, exec_question, command):
    assert Permissions().judge(exec_question(command), policy).outcome == "ask"
    assert Permissions(assume_yes=True).judge(exec_question(command), policy).outcome == "ask"
    allowed = Permissions(rules=Rules(allow=(command,)))
    assert allowed.judge(exec_question(command), policy).outcome == "allow"


def test_read_only_mode_runs_and_edits_nothing(policy, exec_question):
    permissions = Permissions("read-only", Rules(allow=("ls",)), assume_yes=True)
    assert permissions.judge(exec_question("ls"), policy).outcome == "deny"
    assert permissions.judge(edit("src/a.py"), policy).outcome == "deny"


@pytest.mark.parametrize(
    "permissions", [Permissions("accept-edits"), Permissions(assume_yes=True)], ids=["mode", "yes"]
)
def test_edits_inside_the_roots_may_be_accepted_and_no_others(policy, permissions):
    assert permissions.judge(edit("src/a.py"), policy).outcome == "allow"
    assert permissions.judge(edit("new/b.py"), policy).outcome == "allow"
    assert permissions.judge(edit("AGENTS.md"), policy).outcome == "ask"
    assert permissions.judge(edit("src/a.py", protected=True), policy).outcome == "ask"
    assert permissions.judge(edit("/tmp/x"), policy).outcome == "ask"
    assert permissions.judge(edit("src/a.py", "/tmp/x"), policy).outcome == "ask"
    assert permissions.judge(edit(".env"), policy).outcome == "deny"
    assert permissions.judge(edit(), policy).outcome == "ask"
    read = PermissionQuestion(
        id="q", call_id="c", tool="read", subject="path", title="", detail="", paths=("/tmp/x",)
    )
    assert permissions.judge(read, policy).outcome == "ask"


def test_mode_ask_asks_for_each_edit(policy):
    assert Permissions().judge(edit("src/a.py"), policy).outcome == "ask"


@pytest.mark.parametrize(
    ("outcome", "later"), [("once", "ask"), ("session", "allow"), ("always", "allow")]
)
def test_an_answer_is_bound_to_the_exact_command(policy, exec_question, outcome, later):
    kept = []
    permissions = Permissions(persist=kept.append)
    question = exec_question("rm *.pyc")
    permissions.remember(question, PermissionAnswer(outcome=outcome))
    assert permissions.judge(exec_question("rm *.pyc"), policy).outcome == later
    assert permissions.judge(exec_question("rm a.pyc"), policy).outcome == "ask"
    assert permissions.judge(exec_question("rm *.pyc; ls"), policy).outcome == "ask"
    assert kept == (["exact:rm *.pyc"] if outcome == "always" else [])


def test_a_recorded_rule_never_outweighs_a_denial(policy, exec_question):
    rules = Rules(allow=("exact:sudo id",), deny=("sudo",))
    assert Permissions(rules=rules).judge(exec_question("sudo id"), policy).outcome == "deny"


def test_protected_paths_are_asked_for_every_time(policy):
    permissions = Permissions("accept-edits")
    permissions.remember(edit("AGENTS.md", protected=True), PermissionAnswer(outcome="always"))
    permissions.remember(edit("AGENTS.md"), PermissionAnswer(outcome="session"))
    assert permissions.judge(edit("AGENTS.md", protected=True), policy).outcome == "ask"


COMMANDS = ["ls", "git status", "rm -rf x", "sudo id", "ls | sh", "cat .env"]


@given(allow=st.lists(st.sampled_from(COMMANDS)), deny=st.lists(st.sampled_from(COMMANDS)))
def test_p28_f7_a_project_can_only_tighten(allow, deny, tmp_path_factory):
    from novacore.tools.paths import PathPolicy

    policy = PathPolicy((tmp_path_factory.getbasetemp(),))
    rules = Rules(allow=tuple(allow))
    rank = {"allow": 0, "ask": 1, "deny": 2}
    for command in COMMANDS:
        question = PermissionQuestion(
            id="q", call_id="c", tool="run", subject="exec", title="", detail="", command=command
        )
        before = Permissions(rules=rules).judge(question, policy).outcome
        after = Permissions(rules=tightened(rules, deny=deny)).judge(question, policy).outcome
        assert rank[after] >= rank[before]


def test_recorded_rules_are_kept_per_workspace(tmp_path, policy, exec_question):
    store = RecordedRules(tmp_path / "state/permissions.json")
    rule = rule_for(exec_question("make test"))
    store.record(policy.roots[0], rule)
    store.record(policy.roots[0], rule)
    again = RecordedRules(tmp_path / "state/permissions.json")
    assert again.rules(policy.roots[0]) == (rule,)
    assert again.rules(tmp_path) == ()
    rules = Rules(allow=again.rules(policy.roots[0]))
    assert Permissions(rules=rules).judge(exec_question("make test"), policy).outcome == "allow"
    again.forget(policy.roots[0])
    assert again.rules(policy.roots[0]) == ()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"%s": true}', '{"%s": [1, {}]}', "\0\xff"])
def test_a_damaged_store_allows_nothing(tmp_path, policy, content):
    file = tmp_path / "permissions.json"
    file.write_text(content.replace("%s", str(policy.roots[0])))
    assert RecordedRules(file).rules(policy.roots[0]) == ()


@pytest.mark.parametrize(
    ("command", "warning"),
    [
        ("sudo id", "other rights"),
        ("curl http://x", "network"),
        ("git push origin", "network"),
        ("pip install x", "network"),
        ("rm -rf build", "destroy"),
        ("git reset --hard", "destroy"),
        ("find . -delete", "destroy"),
        ("python3 -c 'print(1)'", "code that stands in the command"),
        ("curl x | bash", "what another command prints"),
        ("echo x > /tmp/y", "It writes to"),
        ("echo x > AGENTS.md", "protected path"),
        ("ls $HOME", "only known when it runs"),
        ("ls() { :; }", "could not be judged"),
        ("cat /etc/passwd", "outside the workspace"),
    ],
)
def test_the_card_says_what_a_person_should_know(policy, command, warning):
    found = risks(command, policy, policy.roots[0])
    assert any(warning in sentence for sentence in found.warnings)
    assert found.warnings[-1] == UNBOUND


@pytest.mark.parametrize(
    "command",
    [
        "git log --format=%H -- src",
        "grep -rn '/api/v1' src",
        "git show HEAD:src/a.py",
        "ls 2>/dev/null",
        "pytest -q 2>&1 | tail -5",
        "curl https://example.com/x",
        "/usr/bin/env ls",
        "sed 's/a/b/' src/a.py",
    ],
)
def test_ordinary_words_are_taken_for_no_path_outside(policy, command):
    assert risks(command, policy, policy.roots[0]).paths == ()
