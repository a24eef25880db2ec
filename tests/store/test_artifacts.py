"""Spilled outputs: safe names, private files, exact read-back, and disks that refuse."""

from __future__ import annotations

import errno
import hashlib
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.errors import ArtifactNotFound, UsageError
from novacore.store.artifacts import ArtifactStore

NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")
DEVICES = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))}
MIXED = "first line\nzwei 你好 😀\n\nlast without newline"


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "tool-results")


@given(st.lists(st.one_of(st.text(max_size=300), st.text("aA./\\\0: ", max_size=6)), max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_ids_give_valid_distinct_names_inside_the_folder(tmp_path_factory, ids):
    folder = tmp_path_factory.mktemp("a") / "tool-results"
    store = ArtifactStore(folder)
    made = [store.put(id, f"text of {n}") for n, id in enumerate(ids)]
    for number, artifact in enumerate(made):
        assert artifact.path.resolve().parent == folder.resolve()
        assert NAME.fullmatch(artifact.path.name)
        assert artifact.id.split(".")[0].lower() not in DEVICES
        assert store.text(artifact.id) == f"text of {number}"
    folded = {unicodedata.normalize("NFC", a.path.name).casefold() for a in made}
    assert len(folded) == len(ids)
    assert {path.name for path in folder.glob("*")} == {a.path.name for a in made}


@pytest.mark.parametrize("id", ["toolu_01AbCdEf", "call-7.b"])
def test_an_ordinary_id_stays_readable(store, id):
    assert store.put(id, "x").path.name == f"{id}.txt"


@given(st.text(st.characters()))
@settings(max_examples=60, deadline=None)
def test_text_comes_back_equal_now_and_after_reopening(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("a") / "tool-results"
    artifact = ArtifactStore(folder).put("call", text)
    again = ArtifactStore(folder)
    if not any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        assert again.text(artifact.id) == text
    assert again.get(artifact.id) == artifact
    assert artifact.sha256 == hashlib.sha256(artifact.path.read_bytes()).hexdigest()
    assert artifact.lines == len(text.split("\n")) - (text == "" or text.endswith("\n"))


def test_carriage_returns_and_separators_are_text(store):
    text = "a\r\nb\u2028c\x0cd\x85e\n"
    artifact = store.put("call", text)
    assert artifact.path.read_bytes() == text.encode()
    assert artifact.lines == 2
    assert store.read_lines("call", 2, 2, max_chars=100).text == "b\u2028c\x0cd\x85e\n"


@given(
    text=st.text(st.sampled_from("ab\né你😀"), max_size=60),
    step=st.integers(1, 9),
    most=st.integers(1, 9),
)
@settings(max_examples=150, deadline=None)
def test_parts_of_any_size_add_up_to_the_text(tmp_path_factory, text, step, most):
    store = ArtifactStore(tmp_path_factory.mktemp("a") / "t")
    store.put("call", text)
    size = len(text.encode())
    tiles = [
        store.read_bytes("call", at, at + step, max_chars=100).text for at in range(0, size, step)
    ]
    assert "".join(tiles) == text
    chars = [
        store.read_chars("call", at, at + step, max_chars=100).text
        for at in range(0, len(text), step)
    ]
    assert "".join(chars) == text
    count = store.get("call").lines
    lines = [store.read_lines("call", n, n, max_chars=100).text for n in range(1, count + 1)]
    assert lines == text.splitlines(keepends=True)
    at, read = 0, ""
    while at < size:
        part = store.read_bytes("call", at, size, max_chars=most)
        assert len(part.text) <= most
        assert part.cut == (part.end_byte < size)
        at, read = part.end_byte, read + part.text
    assert read == text


def test_lines_say_where_they_are_and_whether_they_were_cut(store):
    store.put("call", MIXED)
    part = store.read_lines("call", 2, 3, max_chars=100)
    assert (part.text, part.start_line, part.end_line, part.cut) == (
        "zwei 你好 😀\n\n",
        2,
        3,
        False,
    )
    cut = store.read_lines("call", 1, 9, max_chars=13)
    assert (cut.text, cut.end_line, cut.cut) == ("first line\nzw", 2, True)
    assert store.read_bytes("call", cut.end_byte, 10**9, max_chars=99).text.startswith("ei 你好")
    beyond = store.read_lines("call", 50, 60, max_chars=100)
    assert (beyond.text, beyond.cut) == ("", False)


def test_characters_are_counted_from_zero_and_cut_at_the_limit(store):
    store.put("call", MIXED)
    part = store.read_chars("call", 16, 20, max_chars=100)
    assert part.text == MIXED[16:20]
    cut = store.read_chars("call", 0, 1000, max_chars=5)
    assert (cut.text, cut.cut) == ("first", True)


def test_a_single_line_of_5_mb_is_read_end_to_end(store):
    text = '{"k":"' + "é1234567" * 600_000 + 'NEEDLE"}'
    artifact = store.put("call", text)
    assert artifact.lines == 1
    at, read = 0, []
    while True:
        part = store.read_bytes("call", at, artifact.path.stat().st_size, max_chars=50_000)
        assert len(part.text) <= 50_000
        read.append(part.text)
        at = part.end_byte
        if not part.cut:
            break
    assert "".join(read) == text
    (hit,) = store.search("call", "NEEDLE", limit=5)
    assert len(hit.text) <= 300
    assert "NEEDLE" in hit.text
    found = store.read_bytes("call", hit.start_byte, hit.start_byte + 6, max_chars=99)
    assert found.text == "NEEDLE"


def test_search_gives_lines_in_order_up_to_the_limit(store):
    store.put("call", "ok\nERROR one\nok\n错误 ERROR two\r\nERROR three")
    hits = store.search("call", r"ERROR \w+", limit=2)
    assert [(hit.line, hit.column, hit.text) for hit in hits] == [
        (2, 1, "ERROR one"),
        (4, 4, "错误 ERROR two"),
    ]
    assert hits[0].path == "artifact:call"
    assert store.search("call", "^ERROR", limit=9)[-1].line == 5
    assert store.search("call", "absent", limit=9) == ()
    assert store.search("call", "ERROR", limit=0) == ()


def test_a_long_line_has_a_hit_for_each_far_match(store):
    store.put("call", ("." * 1000 + "X") * 3)
    hits = store.search("call", "X", limit=9)
    assert [hit.start_byte for hit in hits] == [1000, 2001, 3002]


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        (r"end$", [1, 3]),
        (r"^end", [3]),
        (r"\Aend\Z", [3]),
        (r"\s", []),
        (r"(?<!\n)end", [1, 3]),
        (r"", [1, 2, 3, 4]),
        (r"x|\bafter", [4]),
    ],
)
def test_patterns_see_one_line_at_a_time_wherever_it_lies(tmp_path, pattern, lines):
    store = ArtifactStore(tmp_path / "t")
    store.put("short", "the-end\r\n\nend\nafter")
    store.put("deep", "-\n" * 90_000 + "the-end\r\n\nend\nafter")
    assert [hit.line for hit in store.search("short", pattern, limit=9)] == lines
    if pattern:
        found = store.search("deep", pattern, limit=9)
        assert [hit.line - 90_000 for hit in found] == lines
        text = [store.read_lines("deep", h.line, h.line, max_chars=9).text for h in found]
        assert [h.text for h in found] == [t.rstrip("\r\n") for t in text]


def test_a_pattern_that_backtracks_for_ever_is_refused(store, monkeypatch):
    monkeypatch.setattr("novacore.store.grep.SECONDS", 0.2)
    store.put("call", "a" * 5_000 + "!")
    with pytest.raises(UsageError, match="too long"):
        store.search("call", "(a|aa)+$", limit=1)


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "*"])
def test_a_wrong_pattern_says_so(store, pattern):
    store.put("call", "text")
    with pytest.raises(UsageError, match="regular expression"):
        store.search("call", pattern, limit=1)


@pytest.mark.parametrize("id", ["absent", "../call", "call.txt", "CALL", "", "a\0b"])
def test_an_unknown_name_is_not_found(store, id):
    store.put("call", "text")
    with pytest.raises(ArtifactNotFound):
        store.text(id)


def test_a_link_put_into_the_folder_is_not_followed(tmp_path, store):
    secret = tmp_path / "secret"
    secret.write_text("password")
    store.put("call", "text")
    (store.folder / "leak.txt").symlink_to(secret)
    again = ArtifactStore(store.folder)
    assert again.ids() == ("call",)
    (store.folder / "call.txt").unlink()
    (store.folder / "call.txt").symlink_to(secret)
    with pytest.raises(ArtifactNotFound):
        store.text("call")


def test_a_link_in_the_place_of_the_folder_is_not_written_through(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "t").symlink_to(tmp_path / "elsewhere")
    store = ArtifactStore(tmp_path / "t")
    artifact = store.put("call", "text")
    assert (artifact.stored, artifact.reason, store.text("call")) == (False, "ENOTDIR", "text")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_open_folder_is_closed(tmp_path):
    folder = tmp_path / "tool-results"
    folder.mkdir(mode=0o755)
    ArtifactStore(folder).put("call", "text")
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_refused_text_is_tried_once_and_leaves_no_file(store, refusing, code):
    text = "y" * 900_000
    with refusing(code, after=4096) as attempts:
        artifact = store.put("y", text)
    assert len(attempts) == 1
    assert (artifact.stored, artifact.path) == (False, None)
    assert artifact.reason == errno.errorcode[code]
    assert list(store.folder.iterdir()) == []
    assert store.text("y") == text
    assert store.read_lines("y", 1, 1, max_chars=10).cut


def test_a_refused_text_is_written_when_the_disk_is_back(store, refusing):
    with refusing(errno.ENOSPC):
        store.put("y", "y" * 9000)
        assert store.refused is not None
        assert store.flush() == 1
    later = store.put("z", "z" * 9000)
    assert later.stored
    assert store.get("y").path.read_text() == "y" * 9000
    assert (store.refused, store.flush()) == (None, 0)
    assert ArtifactStore(store.folder).ids() == ("y", "z")


def test_memory_is_bounded_and_says_what_was_dropped(tmp_path):
    store = ArtifactStore(tmp_path / "t", to_disk=False, memory_bytes=100)
    store.put("old", "o" * 60)
    newer = store.put("new", "n" * 60)
    assert (newer.reason, newer.kept, store.text("new")) == ("off", True, "n" * 60)
    assert not store.get("old").kept
    with pytest.raises(ArtifactNotFound, match="off"):
        store.text("old")
    assert not (tmp_path / "t").exists()


def test_a_name_of_the_log_is_not_given_again(tmp_path):
    store = ArtifactStore(tmp_path / "t", taken=["call"])
    assert store.put("call", "new").id != "call"
    with pytest.raises(ArtifactNotFound):
        store.text("call")
