"""Trees: ignore files, links, names that are no text."""

from __future__ import annotations

import os

import pytest

from novacore.code.globs import problem_of
from novacore.code.ignores import ignored
from novacore.code.walk import read_file, walk


def everything(real):
    return True


@pytest.fixture
def tree(tmp_path):
    def make(**files):
        for path, content in files.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return tmp_path

    return make


def paths(root, **options):
    options.setdefault("allowed", everything)
    return [file.path for file in walk(root, **options)]


def test_nearest_rule_wins_and_ignored_folders_stay_closed(tree):
    root = tree(**{
        ".gitignore": "*.log\n/out\n!keep.log\n", "a.log": "", "keep.log": "", "out/x.py": "",
        "sub/.gitignore": "!*.log\nkeep.log\n", "sub/a.log": "", "sub/keep.log": "",
        "out/.gitignore": "!x.py\n",
    })  # fmt: skip
    assert paths(root) == [".gitignore", "keep.log", "sub/.gitignore", "sub/a.log"]


def test_a_named_start_is_walked_even_if_ignored(tree):
    root = tree(
        **{".gitignore": "build\n*.tmp\n", "build/a.py": "", "src/b.py": "", "src/c.tmp": ""}
    )
    assert paths(root, start=root / "build") == ["build/a.py"]
    assert paths(root, start=root / "src") == ["src/b.py"]
    assert paths(root, start=root.parent) == []
    assert ignored(root, root / "build/a.py")
    assert not ignored(root, root / "src/b.py")


def test_broken_and_hostile_rules_are_left_out(tree):
    root = tree(**{
        ".gitignore": "[z-a]\n!\n\\\n" + "*a" * 30 + "b\n" + "**/a/" * 20 + "b\ngone.py\r\n",
        "a" * 200: "", "gone.py": "", "b.py": "",
    })  # fmt: skip
    assert paths(root) == [".gitignore", "a" * 200, "b.py"]
    assert problem_of("src/**/*.py") == ""
    assert problem_of("*a*a*a*a*b")


def test_links_are_met_in_their_own_place(tree):
    root = tree(**{"real/a.py": "x", "b.py": "y"})
    (root / "link.py").symlink_to("real/a.py")
    (root / "0link").symlink_to("real")
    (root / "loop").symlink_to(".")
    (root / "out").symlink_to("/etc")
    (root / "nothing").symlink_to("missing")
    assert paths(root) == ["b.py", "real/a.py"]


def test_what_is_not_allowed_is_not_seen(tree):
    root = tree(**{"a/secret.py": "", "b.py": ""})
    assert paths(root, allowed=lambda real: real.name != "a") == ["b.py"]


def test_pipes_and_devices_are_no_files(tree):
    root = tree(**{"a.py": ""})
    os.mkfifo(root / "pipe")
    assert paths(root) == ["a.py"]


def test_binaries_on_request_only(tree):
    root = tree(**{"a.py": "", "b.bin": "x\0y"})
    assert paths(root) == ["a.py"]
    assert paths(root, binaries=True) == ["a.py", "b.bin"]


def test_names_that_are_no_utf8(tree):
    root = tree(**{"a.py": ""})
    name = os.fsdecode(b"caf\xe9.py")
    (root / name).write_text("x = 1")
    found = list(walk(root, allowed=everything))
    assert [file.path for file in found] == ["a.py", name]
    assert read_file(found[1]) == b"x = 1"


def test_a_file_that_became_a_link_is_not_read(tree):
    root = tree(**{"a.py": "x"})
    (found,) = walk(root, allowed=everything)
    (root / "a.py").unlink()
    (root / "a.py").symlink_to("/etc/hostname")
    assert read_file(found) is None


def test_deep_trees_end(tree):
    root = tree(**{"x/" * 200 + "a.py": "", "x/b.py": ""})
    assert paths(root) == ["x/b.py"]
