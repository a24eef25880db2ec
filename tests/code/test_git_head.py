"""The checked-out commit, read from git's files, is what git itself says."""

from __future__ import annotations

import subprocess

import pytest

from novacore.code import git as module
from novacore.code.git import head, run_git


def git(root, *args):
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    done = subprocess.run(
        ["git", *who, "-C", str(root), *args], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(root, name):
    git(root, "commit", "-qm", name, "--allow-empty")


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    commit(root, "one")
    commit(root, "two")
    return root


@pytest.fixture(autouse=True)
def no_process(monkeypatch, request):
    """Nothing is started, unless a test says that git must be asked."""
    if "asks" in request.node.name:
        return

    def fail(*args, **options):
        raise AssertionError("git was started")

    monkeypatch.setattr(module, "run_git", fail)


def test_a_branch(repository):
    assert head(repository) == git(repository, "rev-parse", "HEAD")


def test_a_folder_below(repository):
    (repository / "a" / "b").mkdir(parents=True)
    assert head(repository / "a" / "b") == git(repository, "rev-parse", "HEAD")


def test_a_detached_head(repository):
    git(repository, "checkout", "-q", "--detach", "HEAD~1")
    assert head(repository) == git(repository, "rev-parse", "HEAD")


def test_packed_refs(repository):
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git" / "refs" / "heads" / "main").exists()
    assert head(repository) == git(repository, "rev-parse", "HEAD")
    commit(repository, "three")
    assert head(repository) == git(repository, "rev-parse", "HEAD")


def test_a_branch_with_folders_in_its_name(repository):
    git(repository, "checkout", "-q", "-b", "feature/some.thing")
    assert head(repository) == git(repository, "rev-parse", "HEAD")


@pytest.mark.parametrize("pack", [False, True])
def test_another_working_tree(repository, tmp_path, pack):
    other = tmp_path / "other"
    git(repository, "worktree", "add", "-q", "-b", "side", str(other))
    commit(other, "three")
    if pack:
        git(repository, "pack-refs", "--all")
    assert head(other) == git(other, "rev-parse", "HEAD") != head(repository)


def test_before_the_first_commit(tmp_path):
    git(tmp_path, "init", "-q")
    assert head(tmp_path) == ""


def test_a_reference_to_a_reference_asks_git(repository):
    git(repository, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(repository, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert head(repository) == git(repository, "rev-parse", "HEAD")


@pytest.mark.parametrize(
    "said",
    [b"ref: refs/../../secret\n", b"ref: /etc/passwd\n", b"\xff\xfe", b"x" * 10_000, b""],
)
def test_a_head_that_is_no_head_asks_git_and_is_no_commit(repository, said):
    (repository / "secret").write_text("0" * 40)
    (repository / ".git" / "HEAD").write_bytes(said)
    assert head(repository) == ""
    assert run_git(["rev-parse", "HEAD"], repository).ok is False
