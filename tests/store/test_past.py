"""Search over past sessions and memory."""

from __future__ import annotations

import multiprocessing
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.store.folder import SessionFolder
from novacore.store.memory import MemoryPlace
from novacore.store.past import PastIndex
from novacore.types import Trust


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def session(state, *texts, principal="me", repository="r1"):
    folder = SessionFolder.create(state, {"principal": principal, "repository": repository})
    for text in texts:
        folder.log.append("user", {"text": text}, by="user", turn=1)
    return folder


def index(state, *, principal="me", repository="r1", places=(), **options):
    return PastIndex(
        cache=state.parent / "cache", state=state, principal=principal, repository=repository,
        places=places, **options,
    )  # fmt: skip


def texts(found):
    return [item.text for item in found]


def memory(tmp_path, name, body="", **fields):
    folder = tmp_path / "memory"
    folder.mkdir(exist_ok=True)
    lines = {"name": name, "description": body, "type": "project"} | fields
    head = "".join(f"{key}: {value}\n" for key, value in lines.items())
    (folder / f"{name}.md").write_text(f"---\n{head}---\n")
    return MemoryPlace(name="user", folder=folder, trust=Trust.USER)


def test_what_was_said_is_found_with_its_place(state):
    folder = session(state, "the deploy target is cluster GREEN", "lunch was good")
    (found,) = index(state).search("Where do we deploy?", limit=5)
    event = folder.log.events[1]
    assert found.uri == f"event:{folder.id}/{event.id}"
    assert (found.kind, found.time, found.text) == ("user", event.ts, event.data["text"])
    assert found.score > 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("deployments", "we deployed it on Monday"),
        ("caching the parsed files", "a cache for every parse of a file"),
        ("config", "call parseConfig first"),
        ("parse_config", "call parseConfig first"),
        ("parseConfig", "call parse_config first"),
        ("HTTPServer", "the http server listens"),
        ("naïve", "a naive approach"),
        ("部署", "我们把服务部署到绿色集群"),
        ("绿色集群在哪里", "我们把服务部署到绿色集群"),
        ("集", "我们把服务部署到绿色集群"),
        ("群", "我们把服务部署到绿色集群"),
        ("用pytest测试", "请用 pytest 跑测试"),
        ("サーバー", "サーバーを再起動する"),
    ],
)
def test_words_are_found_in_their_other_forms(state, asked, said):
    session(state, said, "nothing of that kind", "完全无关的一句话")
    assert texts(index(state).search(asked, limit=5)) == [said]


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_no_question_raises(tmp_path_factory, text):
    state = tmp_path_factory.mktemp("s") / "state"
    session(state, "some words").close()
    assert len(index(state).search(text, limit=3)) <= 1


@pytest.mark.parametrize(
    "text", ['"', "a AND", "NEAR(", "words:*", "^x -y", "(", "NOT", "a\0b", "\ud800", '"OR" words']
)
def test_query_syntax_is_only_words(state, text):
    session(state, "some words")
    found = index(state).search(text, limit=3)
    assert texts(found) == (["some words"] if "words" in text else [])


def test_others_never_take_part(state):
    session(state, "secret plan of mine")
    session(state, "secret plan of theirs", principal="they")
    session(state, "secret plan elsewhere", repository="r2")
    assert texts(index(state).search("secret plan", limit=9)) == ["secret plan of mine"]
    assert texts(index(state, principal="they").search("secret", limit=9)) == [
        "secret plan of theirs"
    ]
    everywhere = index(state, repository=None).search("secret plan", limit=9)
    assert set(texts(everywhere)) == {"secret plan of mine", "secret plan elsewhere"}


def test_the_present_session_can_be_left_out(state):
    now, past = session(state, "alpha now"), session(state, "alpha then")
    reader = index(state)
    assert texts(reader.search("alpha", limit=9, exclude_session=now.id)) == ["alpha then"]
    assert len(reader.search("alpha", limit=9)) == 2
    assert len(reader.search("alpha", limit=1)) == 1
    assert reader.search("alpha", limit=0) == ()
    assert past.id != now.id


def test_answers_summaries_and_short_results_are_found_long_ones_are_not(state):
    folder = session(state)
    blocks = [{"type": "text", "text": "walrus answer"}, {"type": "tool_use", "name": "walrus"}]
    folder.log.append("assistant", {"blocks": blocks}, by="model", turn=1)
    boundary = {"state": {"narrative": "walrus story"}, "passages": [{"text": "walrus passage"}]}
    folder.log.append("compaction", {"boundary": boundary}, by="host", turn=1)
    folder.log.append("tool_result", {"text": "walrus short"}, by="tool", turn=1)
    folder.log.append("tool_result", {"text": "walrus " * 400}, by="tool", turn=1)
    folder.log.append("user", {"text": ["no", "text"]}, by="user", turn=1)
    found = {item.kind: item.text for item in index(state).search("walrus", limit=9)}
    assert found == {
        "assistant": "walrus answer",
        "narrative": "walrus story\nwalrus passage",
        "tool": "walrus short",
    }


def test_of_a_long_text_the_matching_passage_comes_back(state):
    filler = "Nothing to see in this paragraph.\n\n" * 200
    session(state, f"{filler}The zebra lives here.\n\n{filler}")
    (found,) = index(state).search("zebra", limit=5)
    assert "zebra" in found.text
    assert len(found.text) <= 1_500


def test_new_records_are_found_and_torn_ones_wait(state):
    folder = session(state, "first lemon")
    reader = index(state)
    assert len(reader.search("lemon", limit=9)) == 1
    log = folder.path / "events.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole + whole.splitlines()[1].replace(b"first", b"third")[:-5])
    assert len(reader.search("lemon", limit=9)) == 1
    log.write_bytes(whole)
    folder.log.append("user", {"text": "second lemon"}, by="user", turn=2)
    assert set(texts(reader.search("lemon", limit=9))) == {"first lemon", "second lemon"}


def test_removed_and_rewritten_sessions_leave_nothing_behind(state, tmp_path):
    gone, redacted = session(state, "grape one"), session(state, "grape two")
    reader = index(state)
    assert len(reader.search("grape", limit=9)) == 2
    shutil.rmtree(gone.path)
    log = redacted.path / "events.jsonl"
    (tmp_path / "new").write_bytes(log.read_bytes().replace(b"grape two", b"plum two!"))
    (tmp_path / "new").replace(log)
    assert reader.search("grape", limit=9) == ()
    assert texts(reader.search("plum", limit=9)) == ["plum two!"]


def test_equal_texts_of_forks_come_once(state):
    session(state, "the same mango")
    session(state, "the same mango")
    assert len(index(state).search("mango", limit=9)) == 1


def test_memory_is_found_alone_too_and_never_when_superseded(state, tmp_path):
    session(state, "deploy talk")
    place = memory(tmp_path, "target", "deploy goes to BLUE", created="2026-02-01")
    reader = index(state, places=[place])
    (found,) = reader.search("deploy", limit=9, memory_only=True)
    assert (found.uri, found.kind, found.time) == ("mem:user/target.md", "memory", "2026-02-01")
    assert found.text == "target: deploy goes to BLUE"
    assert len(reader.search("deploy", limit=9)) == 2
    memory(tmp_path, "target-2", "deploy goes to GREEN", supersedes="target")
    (current,) = reader.search("deploy", limit=9, memory_only=True)
    assert "GREEN" in current.text
    for path in place.folder.iterdir():
        path.unlink()
    assert reader.search("deploy", limit=9, memory_only=True) == ()


def test_memory_of_another_clone_stays_there(state, tmp_path):
    place = memory(tmp_path, "note", "badger")
    assert len(index(state, places=[place]).search("badger", limit=9)) == 1
    assert index(state).search("badger", limit=9) == ()


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 100, None])
def test_a_damaged_or_deleted_index_is_made_again(state, damage):
    session(state, "olive")
    reader = index(state)
    assert len(reader.search("olive", limit=9)) == 1
    if damage is None:
        raw = bytearray(reader.path.read_bytes())
        raw[4096:] = b"\xff" * (len(raw) - 4096)
        reader.path.write_bytes(raw)
    elif damage:
        reader.path.write_bytes(damage)
    else:
        shutil.rmtree(reader.path.parent)
    assert texts(reader.search("olive", limit=9)) == ["olive"]
    assert texts(index(state).search("olive", limit=9)) == ["olive"]


def test_without_a_writable_cache_it_still_answers(state):
    session(state, "peach")
    (state.parent / "cache").write_text("a file")
    assert texts(index(state).search("peach", limit=9)) == ["peach"]


def test_the_index_is_private(state):
    session(state, "fig")
    reader = index(state)
    reader.refresh()
    assert reader.path.stat().st_mode & 0o777 == 0o600
    assert reader.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_build_that_runs_out_of_time_goes_on_with_the_next_search(state):
    sessions = [session(state, *[f"kiwi {n} {m}" for m in range(300)]) for n in range(3)]
    late = index(state, build_seconds=0.0)
    assert late.search("kiwi", limit=9) == ()
    assert len(index(state).search("kiwi", limit=900)) == len(sessions) * 300


def _search(state, results):
    for _ in range(5):
        results.put(len(index(state).search("pear", limit=900)))


def test_two_processes_build_it_together(state):
    folders = [session(state, *[f"pear {n}-{m}" for m in range(100)]) for n in range(4)]
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [context.Process(target=_search, args=(state, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    found = [results.get(timeout=60) for _ in range(10)]
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert set(found) == {len(folders) * 100}
