"""Memory files as people write them."""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.store.frontmatter import split_frontmatter
from novacore.store.memory import MemoryPlace, memory_places, read_memories
from novacore.types import Trust


def place(folder, **changes):
    return MemoryPlace(**{"name": "user", "folder": folder, "trust": Trust.USER} | changes)


def write(folder, name, body="text", **fields):
    folder.mkdir(parents=True, exist_ok=True)
    fields = {"name": name, "description": f"about {name}", "type": "project"} | fields
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    (folder / f"{name}.md").write_text(f"---\n{head}---\n{body}\n")
    return folder / f"{name}.md"


def test_the_case_folder_is_read_and_its_broken_files_are_reported(shared, tmp_path):
    folder = tmp_path / "memory"
    shutil.copytree(shared("cases", "agent", "P19_memory_index_supersede", "memory"), folder)
    memories = read_memories([place(folder)])
    names = {memory.name: memory for memory in memories.entries}
    assert set(names) == {"deploy-target", "deploy-target-2", "inflight"}
    assert names["deploy-target"].superseded_by == "deploy-target-2"
    assert names["deploy-target-2"].superseded_by == ""
    assert names["inflight"].created == "2026-09-28"
    assert names["inflight"].uri == "mem:user/inflight.md"
    assert names["inflight"].text == "Do not start 0043."
    reasons = {bad.path.name: bad.reason for bad in memories.unread}
    assert reasons == {
        "broken.md": "line 3: a list that is not closed with ]",
        "empty.md": "empty",
    }


def test_reading_changes_neither_age_nor_version(tmp_path):
    path = write(tmp_path, "a", updated="2026-01-01")
    before = path.stat().st_mtime_ns
    first, second = (read_memories([place(tmp_path)]).entries for _ in range(2))
    assert first == second
    assert first[0].updated == "2026-01-01"
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("head", "key", "value"),
    [
        ("description: deploys: blue first", "description", "deploys: blue first"),
        ("name: 0042", "name", "0042"),
        ("authority: no", "authority", "no"),
        ('name: "quoted # name"', "name", "quoted # name"),
        ("supersedes: [a, 'b']", "supersedes", ("a", "b")),
        ("supersedes:\n  - a\n  - b", "supersedes", ("a", "b")),
        ("# a comment\n\nscope:", "scope", ""),
        ("Name: Ü你", "name", "Ü你"),
    ],
)
def test_values_are_the_words_that_stand_there(head, key, value):
    for newline in ("\n", "\r\n"):
        text = f"\ufeff---\n{head}\n---\nbody\n".replace("\n", newline)
        fields, body = split_frontmatter(text)
        assert (fields[key], body) == (value, "body")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no head", "line 1: no frontmatter"),
        ("---\nname: a\n", "line 1: the frontmatter is not closed"),
        ("---\nname: a\nname: b\n---\n", "line 3: name stands there twice"),
        ("---\nname: a\n- b\n---\n", "line 3: a list item behind a value"),
        ("---\njust words\n---\n", "line 2: not `key: value`"),
        ("---\ndescription: >\n  more\n---\n", "line 2: only one-line values"),
    ],
)
def test_what_cannot_be_read_names_its_line(text, reason):
    with pytest.raises(ValueError, match=reason):
        split_frontmatter(text)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: f"---\n{t}\n---".encode()))
@settings(max_examples=80, deadline=None)
def test_no_file_crashes_the_reading(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("memory")
    (folder / "any.md").write_bytes(data)
    write(folder, "good")
    memories = read_memories([place(folder)])
    assert "good" in {memory.name for memory in memories.entries}
    assert len(memories.entries) + len(memories.unread) == 2


def test_missing_keys_large_and_odd_files_are_reported(tmp_path):
    (tmp_path / "short.md").write_text("---\nname: a\n---\n")
    (tmp_path / "latin.md").write_bytes("---\nname: ü\n---\n".encode("latin-1"))
    (tmp_path / "large.md").write_bytes(b"x" * 300_000)
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / "MEMORY.md").write_text("an index")
    reasons = {bad.path.stem: bad.reason for bad in read_memories([place(tmp_path)]).unread}
    assert reasons["short"] == "the frontmatter has no description, type"
    assert reasons["latin"] == "not UTF-8 at byte 10"
    assert "300,000 bytes" in reasons["large"]
    assert reasons["folder"] == reasons["pipe"] == "no regular file"
    assert set(reasons) == {"short", "latin", "large", "folder", "pipe", "gone"}


def test_a_link_out_of_the_workspace_is_not_read(tmp_path):
    secret = write(tmp_path / "home", "secret")
    folder = tmp_path / "ws" / ".novacore" / "memory"
    write(folder, "own")
    (folder / "leak.md").symlink_to(secret)
    inside = place(folder, inside=tmp_path / "ws")
    memories = read_memories([inside])
    assert [memory.name for memory in memories.entries] == ["own"]
    assert memories.unread[0].reason == "a link that leaves the workspace"
    whole = tmp_path / "ws2" / ".novacore"
    whole.mkdir(parents=True)
    (whole / "memory").symlink_to(tmp_path / "home")
    assert read_memories([place(whole / "memory", inside=tmp_path / "ws2")]).entries == ()


def test_a_file_can_lower_its_trust_and_never_raise_it(tmp_path):
    write(tmp_path, "a", trust="system")
    write(tmp_path, "b", trust="untrusted")
    write(tmp_path, "c", trust="of my own making")

    def trust(most):
        return [m.trust for m in read_memories([place(tmp_path, trust=most)]).entries]

    assert trust(Trust.PROJECT) == [Trust.PROJECT, Trust.UNTRUSTED, Trust.PROJECT]
    assert trust(Trust.UNTRUSTED) == [Trust.UNTRUSTED] * 3


def test_supersession_stays_in_its_place_and_never_hides_everything(tmp_path):
    write(tmp_path / "user", "rule")
    write(tmp_path / "ws", "other", supersedes="rule")
    write(tmp_path / "circle", "a", supersedes="b", created="2026-01-01")
    write(tmp_path / "circle", "b", supersedes="a", created="2026-02-01")
    write(tmp_path / "circle", "own", supersedes="own")
    write(tmp_path / "chain", "one")
    write(tmp_path / "chain", "two", supersedes="one.md")
    write(tmp_path / "chain", "three", supersedes="[two, absent]")
    places = [place(tmp_path / name, name=name) for name in ("user", "ws", "circle", "chain")]
    by = {memory.name: memory.superseded_by for memory in read_memories(places).entries}
    assert by == {
        "rule": "", "other": "", "a": "b", "b": "", "own": "",
        "one": "two", "two": "three", "three": "",
    }  # fmt: skip


def test_the_places_of_a_session(tmp_path):
    places = memory_places(
        config=tmp_path / "c", state=tmp_path / "s", repository="r1", root=tmp_path / "w",
        workspace=Trust.UNTRUSTED,
    )  # fmt: skip
    for number, one in enumerate(places):
        write(one.folder, f"m{number}")
    found = read_memories(places).entries
    assert [(m.uri, m.trust) for m in found] == [
        ("mem:user/m0.md", Trust.USER),
        ("mem:project/m1.md", Trust.USER),
        ("mem:workspace/m2.md", Trust.UNTRUSTED),
    ]
    assert (tmp_path / "s" / "repositories" / "r1" / "memory" / "m1.md").exists()
    assert (tmp_path / "w" / ".novacore" / "memory" / "m2.md").exists()
