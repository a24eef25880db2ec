"""The identity of a repository, in real git repositories."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from novacore.errors import DiskRefused
from novacore.store.repository import common_dir, repository_id


def git(cwd, *words):
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    command[1:1] = ["-c", "protocol.file.allow=always"]
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repo(tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "x")
    return root


def test_the_id_stays_and_git_does_not_see_it(repo):
    id = repository_id(repo)
    assert re.fullmatch("[0-9a-f]{32}", id)
    (repo / "src" / "deep").mkdir(parents=True)
    assert repository_id(repo / "src" / "deep") == repository_id(repo) == id
    assert git(repo, "status", "--porcelain") == ""
    assert (repo / ".git" / "novacore-id").stat().st_mode & 0o777 == 0o600


def test_it_moves_along_is_shared_by_worktrees_and_not_cloned(repo, tmp_path):
    id = repository_id(repo)
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert repository_id(tmp_path / "tree") == id
    assert git(tmp_path / "tree", "status", "--porcelain") == ""
    git(tmp_path, "clone", "-q", str(repo), "clone")
    assert repository_id(tmp_path / "clone") != id
    git(repo, "worktree", "remove", str(tmp_path / "tree"))
    repo.rename(tmp_path / "moved")
    assert repository_id(tmp_path / "moved") == id


def test_a_submodule_has_an_id_of_its_own_inside_the_outer_git_dir(repo, tmp_path):
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "add", "-q", str(repo), "sub")
    id = repository_id(outer / "sub")
    assert id != repository_id(outer)
    assert (outer / ".git" / "modules" / "sub" / "novacore-id").read_text().strip() == id


def test_without_git_the_real_path_decides(tmp_path, isolated):
    folder = tmp_path / "plain"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    id = repository_id(folder)
    assert repository_id(tmp_path / "link") == id
    assert repository_id(folder) == id
    assert repository_id(tmp_path) != id
    assert list(folder.iterdir()) == []
    shutil.rmtree(isolated / "state")
    assert repository_id(folder) != id


@pytest.mark.parametrize("how", ["pointer", "link", "commondir", "worktree pointer"])
def test_a_hostile_folder_does_not_become_another_repository(repo, tmp_path, how):
    id = repository_id(repo)
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    if how == "pointer":
        (hostile / ".git").write_text(f"gitdir: {repo / '.git'}\n")
    elif how == "link":
        (hostile / ".git").symlink_to(repo / ".git")
    elif how == "commondir":
        git(hostile, "init", "-q")
        (hostile / ".git" / "commondir").write_text(str(repo / ".git"))
    else:
        git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
        (hostile / ".git").write_bytes((tmp_path / "tree" / ".git").read_bytes())
    assert repository_id(hostile) != id


@pytest.mark.parametrize("pointer", ["", "gitdir:", "gitdir: /nowhere", "\0\xff", "x" * 10_000])
def test_a_broken_pointer_falls_back(tmp_path, pointer):
    (tmp_path / ".git").write_text(pointer)
    assert common_dir(tmp_path) is None
    assert repository_id(tmp_path) == repository_id(tmp_path)


def test_an_id_that_is_a_link_is_left_alone(repo, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (repo / ".git" / "novacore-id").symlink_to(victim)
    assert repository_id(repo) == repository_id(repo)
    assert victim.read_text() == "precious"


def test_a_damaged_id_is_made_again(repo):
    (repo / ".git" / "novacore-id").write_bytes(b"\0" * 33)
    id = repository_id(repo)
    assert (repo / ".git" / "novacore-id").read_text().strip() == id


def test_a_git_dir_that_takes_no_file_falls_back(repo):
    (repo / ".git" / "novacore-id").mkdir()
    assert repository_id(repo) == repository_id(repo)


def test_no_place_at_all_is_one_clear_line(tmp_path):
    (tmp_path / "state").write_text("a file")
    folder = tmp_path / "plain"
    folder.mkdir()
    with pytest.raises(DiskRefused):
        repository_id(folder, state=tmp_path / "state")
