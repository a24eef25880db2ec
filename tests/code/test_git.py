"""git in a repository that wants to run things."""

from __future__ import annotations

import subprocess

import pytest

from novacore.code.git import common_dir, dirty, head, run_git

READS = (
    ["status", "--porcelain"],
    ["diff"],
    ["diff", "HEAD"],
    ["log", "-p", "-1"],
    ["show", "HEAD"],
    ["ls-files", "-m"],
    ["rev-parse", "HEAD"],
    ["cat-file", "--filters", "HEAD:a.txt"],
    ["cat-file", "--textconv", "HEAD:a.txt"],
)


def git(root, *args, **options):
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    return subprocess.run(["git", *who, "-C", str(root), *args], check=True, **options)


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.txt").write_text("one\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    return root


@pytest.fixture
def hostile(repository, tmp_path):
    """Every configuration that makes git run a program, each pointing to one that leaves a mark."""
    mark = tmp_path / "ran"
    evil = tmp_path / "evil.sh"
    evil.write_text(f'#!/bin/sh\necho "$0 $@" >> {mark}\ncat\n')
    evil.chmod(0o755)
    sub = tmp_path / "sub"
    sub.mkdir()
    git(sub, "init", "-q")
    git(sub, "commit", "-qm", "x", "--allow-empty")
    git(repository, "submodule", "--quiet", "add", str(sub), "sub")
    (repository / ".gitattributes").write_text("*.txt filter=e=v.il diff=e=v.il merge=evil\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "two")
    keys = (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass",
        "core.gitProxy", "core.alternateRefsCommand", "diff.external", "sequence.editor",
        "filter.e=v.il.clean", "filter.e=v.il.smudge", "filter.e=v.il.process",
        "diff.e=v.il.textconv", "diff.e=v.il.command", "merge.evil.driver", "gpg.program",
        "gpg.ssh.program", "credential.helper", "pager.status", "pager.log", "pager.diff",
        "interactive.diffFilter", "trailer.x.command", "remote.origin.uploadpack",
        "alias.status", "alias.rev-parse", "uploadpack.packObjectsHook",
    )  # fmt: skip
    for key in keys:
        value = f"!{evil}" if key.startswith("alias") else str(evil)
        git(repository, "config", key, value)
        git(repository / "sub", "config", key, value)
    git(repository, "config", "core.hooksPath", str(tmp_path / "hooks"))
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "status.submoduleSummary", "true")
    git(repository, "config", "diff.submodule", "log")
    git(repository, "config", "remote.origin.url", f"ext::{evil}")
    git(repository, "config", "remote.origin.promisor", "true")
    git(repository, "config", "extensions.partialClone", "origin")
    (tmp_path / "hooks").mkdir()
    for hook in ("post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"):
        (tmp_path / "hooks" / hook).symlink_to(evil)
    (repository / "a.txt").write_text("two\n")
    (repository / "sub/new").write_text("x")
    mark.unlink(missing_ok=True)
    return repository, mark


def test_the_trap_works(hostile):
    root, mark = hostile
    subprocess.run(["git", "-C", str(root), "status"], capture_output=True, check=False)
    subprocess.run(["git", "-C", str(root), "diff"], capture_output=True, check=False)
    assert mark.exists()


@pytest.mark.parametrize("args", READS, ids=" ".join)
def test_a_hostile_repository_runs_nothing(hostile, args):
    root, mark = hostile
    result = run_git(args, root)
    assert not mark.exists(), mark.read_text()
    assert result.exit_code is not None


def test_what_we_ask_of_a_hostile_repository(hostile):
    root, mark = hostile
    assert len(head(root)) == 40
    assert "a.txt" in dirty(root)
    assert common_dir(root / "sub") == (root / ".git/modules/sub").resolve()
    assert not mark.exists()


def test_the_callers_variables_do_not_count(repository, tmp_path, monkeypatch):
    mark = tmp_path / "ran"
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_EDITOR", "PAGER"):
        monkeypatch.setenv(name, f"touch {mark}")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"touch {mark}")
    (repository / "a.txt").write_text("two\n")
    assert dirty(repository) == ("a.txt",)
    assert run_git(["diff"], repository).ok
    assert not mark.exists()


def test_no_git_of_the_workspace_is_used(repository, tmp_path, monkeypatch):
    mark = tmp_path / "ran"
    program = repository / "bin/git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    (repository / "src").mkdir()
    monkeypatch.setenv("PATH", str(program.parent))
    result = run_git(["status"], repository / "src")
    assert (result.ok, result.error) == (False, "git is not installed")
    assert dirty(repository / "src") == ()
    assert len(head(repository / "src")) == 40
    assert not mark.exists()


def test_commands_that_do_more_than_read_are_refused(repository):
    for args in ([], ["fetch"], ["checkout", "."], ["-c", "core.pager=x", "log"], ["st"]):
        with pytest.raises(ValueError, match="reading commands"):
            run_git(args, repository)


def test_answers_of_plain_folders_and_worktrees(repository, tmp_path):
    outside = tmp_path / "plain"
    outside.mkdir()
    assert (head(outside), dirty(outside), common_dir(outside)) == ("", (), None)
    git(repository, "worktree", "add", "-q", str(tmp_path / "wt"))
    assert common_dir(tmp_path / "wt") == common_dir(repository) == (repository / ".git").resolve()
    name = "caf\udce9 ü.txt"
    (repository / name).write_text("x")
    git(repository, "add", ".")
    assert dirty(repository) == (name,)


def test_a_repository_that_hangs_is_given_up(repository):
    import os

    os.mkfifo(repository / "pipe")
    git(repository, "config", "include.path", str(repository / "pipe"))
    result = run_git(["status"], repository, timeout=0.3)
    assert (result.ok, result.exit_code) == (False, None)
    assert "0.3 s" in result.error
