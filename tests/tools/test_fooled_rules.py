"""Commands that look like what a rule names, and are something else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from novacore.tools.command_risks import risks
from novacore.tools.environment import child_environment
from novacore.tools.permission_store import RecordedRules
from novacore.tools.permissions import Permissions, Rules
from novacore.types import PermissionAnswer, PermissionQuestion

BROAD = (
    "git status *", "python *", "ls *", "echo *", "cat *", "cd *", "env *", "xargs *", "printf *",
    "export *", "read *", "test *", "trap *", "timeout *", "true",
)  # fmt: skip


@pytest.fixture
def judged(policy):
    def judge(command, allow=BROAD, deny=()):
        found = risks(command, policy, policy.roots[0])
        question = PermissionQuestion(
            id="q", call_id="c", tool="run", subject="exec", title="", detail=command,
            command=command, paths=found.paths, programs=found.programs,
        )  # fmt: skip
        permissions = Permissions("ask", Rules(allow=tuple(allow), deny=tuple(deny)))
        return permissions.judge(question, policy).outcome

    return judge


@pytest.mark.parametrize(
    "command",
    [
        "git status --porcelain; rm x",
        "git status\nrm x",
        "git status \\\n; rm x",
        "git status & rm x",
        "git status | sh",
        "git status $(rm x)",
        "git status `rm x`",
        "git status <(rm x)",
        "git status${IFS};rm${IFS}x",
        "git -c alias.status='!rm x' status",
        "git -c core.fsmonitor=./x status",
        "git --exec-path=. status",
        "GIT_DIR=/x git status",
        "PATH=. git status",
        "env PATH=. git status",
        "env -i PATH=. git status",
        "env -C sub git status",
        "export PATH=.; git status",
        "printf -v PATH .; git status",
        "read PATH < x; git status",
        "test -v 'a[$(rm x)]'",
        "trap 'rm x' EXIT; true",
        "git() { rm x; }; git status",
        "alias git=rm; git status",
        "./git status",
        "/tmp/git status",
        "cat <<EOF | sh\nrm x\nEOF",
        "cat <<EOF\n$(rm x)\nEOF",
        "cat {.env,x}",
        "cat .e?v",
        'cat "$(echo .env)"',
        "cat ~/.ssh/id_rsa",
        "cd .. && cat ../etc/passwd",
        "echo x > ../out",
        "timeout 5 rm x",
        "git status\x0brm x",
        "echo a\u2028rm x",
    ],
)
def test_no_broad_rule_lets_it_run(judged, command):
    assert judged(command) != "allow"


@pytest.mark.parametrize(
    "command",
    ["git status", "git status --short", "'git' status", "git status # why", "env -u X git status"],
)
def test_what_the_rule_names_runs(judged, command):
    assert judged(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git -C x push origin",
        "git --git-dir x push",
        "git --no-pager -c a=b push",
        "git 'pu'sh",
        "/usr/bin/git push",
        "GIT push",
        "env -i git push",
        "sh -c 'git push'",
        "su -c 'git push'",
        "trap 'git push' EXIT",
        "echo | xargs git push",
        "git $WORD",
        "/opt/tools/deploy --now",
        "deploy --now",
        "rm -f keep",
    ],
)
def test_a_deny_rule_means_what_it_names_however_it_is_written(judged, command):
    deny = ("git push", "/opt/tools/deploy", "rm keep")
    assert judged(command, allow=("*",), deny=deny) == "deny"


@pytest.mark.parametrize("command", ["git log --grep push", "git stash push", "git pushy"])
def test_a_deny_rule_means_no_more(judged, command):
    assert judged(command, deny=("git push",)) != "deny"


def test_a_program_that_a_rule_names_with_its_folder_may_run(judged):
    program = sys.executable
    assert judged(f"{program} -m pytest", allow=(f"{program} *",)) == "allow"
    assert judged(f"{program} /etc/passwd", allow=(f"{program} *",)) == "ask"
    assert judged(f"{program} -m pytest", allow=("*", "* *", "/*/python* *")) == "ask"
    assert judged("/usr/bin/env", allow=("/usr/bin/env",)) == "allow"


def test_a_link_to_a_program_elsewhere_is_named_or_asked(judged, policy, tmp_path):
    (policy.roots[0] / "run").symlink_to(sys.executable)
    assert judged("./run x", allow=("./* *",)) == "ask"
    assert judged("./run x", allow=("./run *",)) == "allow"


def test_always_writes_no_secret_down_and_still_holds(policy, tmp_path):
    secret = "sk-ant-api03-" + "Q7x" * 20
    recorded = RecordedRules(tmp_path / "permissions.json")
    question = PermissionQuestion(
        id="q", call_id="c", tool="run", subject="exec", title="", detail="",
        command=f"curl -H 'x-api-key: {secret}' localhost",
    )  # fmt: skip

    def permissions():
        return Permissions(
            "ask",
            Rules(allow=recorded.rules(tmp_path)),
            persist=lambda rule: recorded.record(tmp_path, rule),
            is_secret=lambda text: secret in text,
        )

    permissions().remember(question, PermissionAnswer(outcome="always"))
    assert secret not in (tmp_path / "permissions.json").read_text()
    assert permissions().judge(question, policy).outcome == "allow"


@pytest.mark.parametrize("trusted", [False, True])
def test_git_runs_nothing_of_a_repository_that_is_not_trusted(tmp_path, trusted):
    root = tmp_path / "clone"
    mark = tmp_path / "ran"
    subprocess.run(["git", "init", "-q", root], check=True)
    for key, value in (("core.fsmonitor", f"touch {mark}"), ("core.hooksPath", str(root))):
        subprocess.run(["git", "-C", root, "config", key, value], check=True)
    (root / "post-index-change").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (root / "post-index-change").chmod(0o755)
    env = child_environment(
        {**os.environ, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name",
         "GIT_CONFIG_VALUE_0": "A Name"},
        roots=[root], trusted=trusted,
    )  # fmt: skip
    subprocess.run(["git", "-C", root, "add", "-A"], env=env, check=True)
    subprocess.run(["git", "-C", root, "status"], env=env, check=True, capture_output=True)
    name = subprocess.run(
        ["git", "-C", root, "config", "user.name"], env=env, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert name.stdout == "A Name\n", "the user's own settings stay"
    assert Path(mark).exists() == trusted
