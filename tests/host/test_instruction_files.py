"""The plugin `instructions` on real folders: which files, in which order, and how much of them."""

from __future__ import annotations

import hashlib
import os

import pytest

from host.plugin_folder import instructions_request, services
from novacore.engine.verify.instructions import verify_instructions
from novacore_plugins.instructions import Instructions, InstructionsSettings


@pytest.fixture
def repo(tmp_path):
    root = tmp_path / "above" / "repo"
    (root / ".git").mkdir(parents=True)
    (root / "packages" / "web").mkdir(parents=True)
    return root


def sections(cwd, *, root=None, user="", **settings):
    plugin = Instructions(InstructionsSettings(**settings), services())
    request = instructions_request(roots=(str(root or cwd),), cwd=str(cwd), user=str(user))
    answer = plugin.inject_instructions(request)
    verify_instructions(answer, request)
    assert answer == plugin.inject_instructions(request)
    return answer


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_from_the_user_over_every_level_to_the_local_override(repo, tmp_path):
    user = tmp_path / "config"
    write(user / "AGENTS.md", "GLOBAL\n")
    write(repo.parent / "AGENTS.md", "ABOVE\n")
    write(repo / "AGENTS.md", "ROOT\n")
    write(repo / "AGENTS.local.md", "LOCAL\n")
    write(repo / "packages" / "web" / "AGENTS.md", "WEB\n")
    write(repo / "packages" / "api" / "AGENTS.md", "API\n")
    found = sections(repo / "packages" / "web", root=repo, user=user)
    assert [s.text for s in found] == ["GLOBAL\n", "ROOT\n", "WEB\n", "LOCAL\n"]
    assert [s.level for s in found] == [0, 1, 2, 3]
    assert [s.uri for s in found] == [
        "user:AGENTS.md",
        "file:AGENTS.md",
        "file:packages/web/AGENTS.md",
        "file:AGENTS.local.md",
    ]
    assert found[1].version == hashlib.blake2b(b"ROOT\n", digest_size=8).hexdigest()


def test_the_first_name_that_a_level_has_counts(repo):
    write(repo / "CLAUDE.md", "CLAUDE\n")
    web = repo / "packages" / "web"
    write(web / "AGENTS.md", "AGENTS\n")
    write(web / "CLAUDE.md", "not this\n")
    assert [s.text for s in sections(web, root=repo)] == ["CLAUDE\n", "AGENTS\n"]
    only = sections(web, root=repo, names=("CLAUDE.md",))
    assert [s.text for s in only] == ["CLAUDE\n", "not this\n"]


def test_a_workspace_inside_a_repository_has_the_repositorys_rules(repo):
    write(repo / "AGENTS.md", "ROOT\n")
    (found,) = sections(repo / "packages" / "web")
    assert (found.text, found.uri) == ("ROOT\n", "repository:AGENTS.md")


def test_outside_a_repository_only_the_workspace_counts(tmp_path):
    write(tmp_path / "AGENTS.md", "ABOVE\n")
    write(tmp_path / "w" / "AGENTS.md", "HERE\n")
    write(tmp_path / "w" / "sub" / "AGENTS.md", "BELOW\n")
    assert [s.text for s in sections(tmp_path / "w")] == ["HERE\n"]
    below = sections(tmp_path / "w" / "sub", root=tmp_path / "w")
    assert [s.text for s in below] == ["HERE\n", "BELOW\n"]


def test_links_and_twins_count_once(repo):
    write(repo / "AGENTS.md", "ROOT\n")
    (repo / "packages" / "AGENTS.md").symlink_to("../AGENTS.md")
    os.link(repo / "AGENTS.md", repo / "packages" / "web" / "AGENTS.md")
    assert [s.text for s in sections(repo / "packages" / "web", root=repo)] == ["ROOT\n"]


def test_a_link_that_became_a_text_file_is_followed_not_read_as_a_rule(repo):
    write(repo / "RULES.md", "RULES\n")
    write(repo / "CLAUDE.md", "RULES.md")
    assert [s.text for s in sections(repo)] == ["RULES\n"]
    write(repo / "CLAUDE.md", "AGENTS.md")
    (found,) = sections(repo)
    assert "only names AGENTS.md" in found.warning


@pytest.mark.parametrize("target", ["outside.md", "/dev/zero", "missing.md", "loop"])
def test_a_link_out_or_to_nothing_is_said_and_not_followed(repo, target):
    write(repo.parent / "outside.md", "SECRET\n")
    link = repo / "AGENTS.md"
    link.symlink_to({"outside.md": "../outside.md", "loop": "AGENTS.md"}.get(target, target))
    (found,) = sections(repo)
    assert "SECRET" not in found.text
    assert "could not be read" in found.text
    assert found.warning


def test_a_pipe_does_not_block_and_a_folder_is_no_file(repo):
    os.mkfifo(repo / "AGENTS.md")
    (repo / "packages" / "AGENTS.md").mkdir()
    (found,) = sections(repo / "packages", root=repo)
    assert "not a regular file" in found.warning


@pytest.mark.parametrize(
    ("data", "text", "warned"),
    [
        (b"\xef\xbb\xbfone\r\ntwo\r\n", "one\ntwo\n", ""),
        ("one\ntwo\n".encode("utf-16"), "one\ntwo\n", ""),
        (b"one\rtwo\r", "one\ntwo\n", ""),
        (b"good\ncaf\xe9\n", "good\ncaf\ufffd\n", "not UTF-8 at line 2"),
        (b"\0\1\2", "could not be read", "binary"),
    ],
)
def test_encodings(repo, data, text, warned):
    write(repo / "AGENTS.md", data)
    (found,) = sections(repo)
    assert text in found.text
    assert warned in found.warning


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_no_rule(repo, data):
    write(repo / "AGENTS.md", data)
    assert sections(repo) == ()


def test_a_large_file_is_cut_at_a_line_end_and_says_so(repo):
    line = "a rule of forty bytes, all of them the same\n"
    write(repo / "AGENTS.md", line * 2_500)
    (found,) = sections(repo)
    body, _, note = found.text.rpartition("[")
    assert 32_000 < len(body) <= 32_768
    assert body == line * (len(body) // len(line))
    assert "AGENTS.md" in note
    assert f"{len(line) * 2_500:,} bytes" in note
    assert f"at line {len(body) // len(line)}" in found.warning


def test_a_file_of_50_mb_without_a_line_end_is_bounded(repo):
    write(repo / "AGENTS.md", "é" * 25_000_000)
    (found,) = sections(repo)
    assert len(found.text.encode()) < 33_100
    assert "\ufffd" not in found.text


def test_over_the_total_the_least_specific_is_cut_first(repo, tmp_path):
    user, web = tmp_path / "config", repo / "packages" / "web"
    for place, word in ((user, "global"), (repo, "root"), (web, "web")):
        write(place / "AGENTS.md", f"{word}\n" * (4_000 // (len(word) + 1)))
    found = sections(web, root=repo, user=user, total_bytes=9_000)
    assert [bool(s.warning) for s in found] == [True, False, False]
    assert "global" in found[0].text
    found = sections(web, root=repo, user=user, total_bytes=5_000)
    assert [bool(s.warning) for s in found] == [True, True, False]
    assert "web\n" * 1_000 in found[2].text


def test_a_folder_whose_name_is_no_text(repo):
    odd = repo / os.fsdecode(b"caf\xe9")
    write(odd / "AGENTS.md", "ODD\n")
    (found,) = sections(odd, root=repo)
    assert found.text == "ODD\n"
    found.uri.encode()
