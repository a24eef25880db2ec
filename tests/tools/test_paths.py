import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.config.folders import config_dir, state_dir
from novacore.errors import Denied
from novacore.tools.paths import PathPolicy

NAMES = st.sampled_from(
    [
        "a",
        "src",
        "link",
        "loop",
        "..",
        ".",
        "",
        "~",
        ".env",
        ".ENV",
        "A.pem",
        "con",
        "x:y",
        "\\",
        "a\0b",
        "é",
        "\ud800",
        ".git",
        "config",
        "dangling",
        "/",
        "//",
        "C:",
        "x" * 300,
        " ",
        ".",
    ]
)


@pytest.fixture
def tree(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "src").mkdir(parents=True)
    outside.mkdir()
    (outside / "victim.txt").write_text("victim")
    (root / "src/a").write_text("inside")
    (root / "link").symlink_to(outside)
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to(outside / "not-yet")
    (tmp_path / "root-secrets").mkdir()
    return root


@settings(max_examples=400, deadline=None)
@given(parts=st.lists(NAMES | st.text(max_size=6), max_size=7), write=st.booleans())
def test_no_path_is_allowed_outside_the_roots(parts, write, tmp_path_factory):
    root = tmp_path_factory.getbasetemp() / "property"
    if not root.exists():
        (root / "src").mkdir(parents=True)
        (root / "link").symlink_to("/usr")
        (root / "loop").symlink_to("loop")
        (root / "dangling").symlink_to("/nowhere/x")
    access = PathPolicy((root,)).resolve("/".join(parts), write=write)
    if access.verdict == "allow":
        assert access.real.is_relative_to(root.resolve())
        assert ".env" not in access.real.name.lower()
        assert access.reason == ""
    else:
        assert access.rule
        assert access.reason


@pytest.mark.parametrize(
    ("path", "verdict", "rule"),
    [
        ("src/a", "allow", ""),
        ("\n/.env", "deny", "deny rule .env"),
        ("a\nb/.git/config", "deny", "deny rule .git"),
        ("", "allow", ""),
        ("new/deep/f.py", "allow", ""),
        ("link/victim.txt", "ask", "outside"),
        ("dangling", "ask", "outside"),
        ("loop/x", "deny", "path form"),
        ("../root-secrets/k", "ask", "outside"),
        ("SRC/../.env", "deny", ".env"),
        (".Env.Local", "deny", ".env.*"),
        (".env.example", "allow", ""),
        ("deep/id_rsa.pub", "deny", "id_rsa*"),
        ("~/.ssh/known_hosts", "deny", ".ssh"),
        (".git/config", "deny", ".git"),
        (".g\u200cit/config", "deny", ".git"),
        (".gitignore", "allow", ""),
        ("conf/.npmrc", "deny", ".npmrc"),
        ("AGENTS.md", "ask", "AGENTS.md"),
        ("sub/claude.md", "ask", "CLAUDE.md"),
        (".vscode/settings.json", "ask", ".vscode"),
        (".novacore/config.toml", "ask", ".novacore"),
        (".mcp.json", "ask", ".mcp.json"),
        ("x" * 300, "deny", "path form"),
    ],
)
def test_a_write_is_judged_by_where_the_path_leads(tree, path, verdict, rule):
    access = PathPolicy((tree,)).resolve(path, write=True)
    assert access.verdict == verdict
    assert rule in access.rule


def test_protected_paths_are_read_without_asking(tree):
    policy = PathPolicy((tree,))
    assert policy.resolve("AGENTS.md", write=False).verdict == "allow"
    assert policy.resolve("AGENTS.md", write=True).protected
    assert policy.resolve(str(tree.parent / "outside/CLAUDE.md"), write=True).protected


def test_the_users_deny_rules_add_to_the_defaults_and_cannot_open_them(tree):
    policy = PathPolicy((tree,), deny=["/vault/", "*.dump", "!.env"])
    assert policy.resolve("vault/x", write=False).verdict == "deny"
    assert policy.resolve("src/vault/x", write=False).verdict == "allow"
    assert policy.resolve("src/A.DUMP", write=False).rule == "deny rule *.dump"
    assert policy.resolve(".env", write=False).verdict == "deny"


def test_a_grant_opens_a_folder_outside_but_no_denied_file(tree):
    policy = PathPolicy((tree,), grants=[tree.parent / "outside"])
    access = policy.resolve("link/victim.txt", write=False)
    assert policy.read_bytes(access) == b"victim"
    assert policy.resolve("link/server.pem", write=False).verdict == "deny"
    assert (
        PathPolicy((tree,), grants=[Path("~/.ssh").expanduser()])
        .resolve("~/.ssh/config", write=False)
        .verdict
        == "deny"
    )


def test_every_root_counts_and_names_read_back(tree, tmp_path):
    second = tmp_path / "second"
    second.mkdir()
    (second / "b").write_text("b")
    policy = PathPolicy((tree, second), deny=["/hidden"])
    access = policy.resolve(str(second / "b"), write=False)
    assert access.verdict == "allow"
    assert policy.resolve(access.relative, write=False).real == access.real
    assert policy.resolve(str(second / "hidden"), write=False).verdict == "deny"


def test_a_walk_opens_what_is_inside_and_not_denied(tree):
    policy = PathPolicy((tree,))
    root = policy.roots[0]
    assert policy.allowed(root / "src/a")
    assert not policy.allowed(root / ".env")
    assert not policy.allowed(root / ".git/HEAD")
    assert not policy.allowed(root.parent / "outside/victim.txt")


def test_a_walk_leaves_out_what_the_user_ignores_and_a_name_still_opens_it(tree):
    policy = PathPolicy((tree,), ignore=["src/", "*.CSV", "loop/"])
    root = policy.roots[0]
    (root / "data.csv").write_text("1")
    (root / "sub").mkdir()
    (root / "sub/src").write_text("a file of that name")
    assert not policy.allowed(root / "src")
    assert not policy.allowed(root / "src/a")
    assert not policy.allowed(root / "data.csv")
    assert policy.allowed(root / "sub/src")
    assert policy.resolve("src/a", write=False).verdict == "allow"


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600])
def test_writing_replaces_in_one_step_and_keeps_the_mode(tree, mode):
    policy = PathPolicy((tree,))
    (tree / "src/a").chmod(mode)
    before = (tree / "src/a").stat().st_ino
    policy.write_bytes(policy.resolve("src/a", write=True), b"new\0bytes")
    assert (tree / "src/a").read_bytes() == b"new\0bytes"
    assert (tree / "src/a").stat().st_mode & 0o777 == mode
    assert (tree / "src/a").stat().st_ino != before
    assert [path.name for path in (tree / "src").iterdir()] == ["a"]


def test_a_failed_write_leaves_the_file_and_no_rest(tree, monkeypatch):
    policy = PathPolicy((tree,))

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        policy.write_bytes(policy.resolve("src/a", write=True), b"new")
    assert (tree / "src/a").read_text() == "inside"
    assert [path.name for path in (tree / "src").iterdir()] == ["a"]


def test_what_is_no_regular_file_is_refused_without_hanging(tree):
    policy = PathPolicy((tree,))
    os.mkfifo(tree / "pipe")
    with pytest.raises(Denied, match="pipe"):
        policy.read_bytes(policy.resolve("pipe", write=False))
    with pytest.raises(IsADirectoryError):
        policy.read_bytes(policy.resolve("src", write=False))
    with pytest.raises(FileNotFoundError):
        policy.read_bytes(policy.resolve("src/none", write=False))
    with pytest.raises(NotADirectoryError):
        policy.read_bytes(policy.resolve("src/a/b", write=False))


def test_an_approval_holds_for_the_paths_it_names_and_ends(tree):
    policy = PathPolicy((tree,))
    outside = policy.resolve("link/victim.txt", write=False)
    with pytest.raises(Denied, match="outside"):
        policy.read_bytes(outside)
    with policy.approved([str(outside.real), ".env"]):
        assert policy.read_bytes(policy.resolve("link/victim.txt", write=False)) == b"victim"
        assert policy.resolve("link/other.txt", write=False).verdict == "ask"
        assert policy.resolve(".env", write=False).verdict == "deny"
    assert policy.resolve("link/victim.txt", write=False).verdict == "ask"


def test_a_link_that_moves_after_the_approval_is_not_followed(tree):
    policy = PathPolicy((tree,))
    shown = policy.resolve("link/victim.txt", write=False)
    with policy.approved([str(shown.real)]):
        (tree / "link").unlink()
        (tree / "link").symlink_to("/etc")
        assert policy.resolve("link/passwd", write=False).verdict == "ask"
        assert policy.resolve("link/victim.txt", write=False).verdict == "ask"


def test_p03_f7_the_sessions_own_results_are_read_without_asking_and_nothing_beside_them(tree):
    session = state_dir() / "sessions/s1"
    for folder in (session, session.parent / "s2"):
        (folder / "tool-results").mkdir(parents=True)
        (folder / "tool-results/out.txt").write_text("kept")
        (folder / "events.jsonl").write_text("{}")
    policy = PathPolicy((tree,), artifacts_dir=session / "tool-results")
    own = policy.resolve(str(session / "tool-results/out.txt"), write=False)
    assert own.verdict == "allow"
    assert policy.read_bytes(own) == b"kept"
    for path in (
        session / "events.jsonl",
        session / "tool-results/../events.jsonl",
        session.parent / "s2/tool-results/out.txt",
        session,
        state_dir() / "trust.json",
        config_dir() / "config.toml",
    ):
        access = policy.resolve(str(path), write=False)
        assert access.verdict == "deny", path
        assert "NovaCore's own" in access.rule
    write = policy.resolve(str(session / "tool-results/out.txt"), write=True)
    assert write.verdict == "deny"


def test_a_name_that_is_no_utf8_is_found_by_its_look_and_judged_by_where_it_leads(policy):
    root = policy.roots[0]
    Path(os.fsdecode(os.fsencode(root) + b"/na\xffme.py")).write_text("x = 1\n")
    Path(os.fsdecode(os.fsencode(root) + b"/li\xfenk")).symlink_to("/etc")
    for name in (b"/two\xff", b"/two\xfe"):
        Path(os.fsdecode(os.fsencode(root) + name)).touch()
    found = policy.resolve("na\ufffdme.py", write=False)
    assert (found.verdict, found.real.read_text()) == ("allow", "x = 1\n")
    assert policy.resolve("li\ufffdnk/passwd", write=False).verdict == "ask"
    assert not policy.resolve("two\ufffd", write=False).real.exists(), "it could be either"
