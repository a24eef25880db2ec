"""What requests held, and the reasoning blobs beside them."""

from __future__ import annotations

import errno

import pytest

from novacore.errors import StoreError
from novacore.store.reasoning import ReasoningStore
from novacore.store.snapshots import Snapshots

BLOCKS = [{"index": 1, "data": {"type": "thinking", "signature": "äöü==", "n": [1, None]}}]


def test_equal_values_are_kept_once_and_come_back(tmp_path):
    store = Snapshots(tmp_path / "snapshots")
    first = store.put({"text": "a", "n": 1})
    assert store.put({"text": "a", "n": 1}) == first
    assert store.put({"n": 1, "text": "a"}) != first
    again = Snapshots(tmp_path / "snapshots")
    assert again.put({"text": "a", "n": 1}) == first
    assert list(again.get(first)) == ["text", "n"]
    files = [path for path in (tmp_path / "snapshots").rglob("*") if path.is_file()]
    assert len(files) == 2
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in files)


def test_rows_come_back_in_order_and_torn_ones_are_left_out(tmp_path):
    store = Snapshots(tmp_path)
    store.append_request({"request": 1})
    rows = tmp_path / "requests.jsonl"
    rows.write_bytes(rows.read_bytes() + b'{"request": ')
    store.append_request({"request": 2})
    rows.write_bytes(rows.read_bytes() + b"\0\0\n[]\n\xff\n")
    store.append_request({"request": 3})
    assert [row["request"] for row in Snapshots(tmp_path).requests()] == [1, 2, 3]


def test_lost_or_changed_content_says_so(tmp_path):
    store = Snapshots(tmp_path)
    digest = store.put({"text": "a"})
    path = tmp_path / "blobs" / f"{digest}.json"
    path.write_text('{"text": "b"}')
    with pytest.raises(StoreError, match="damaged"):
        Snapshots(tmp_path).get(digest)
    path.unlink()
    with pytest.raises(StoreError, match="no longer kept"):
        Snapshots(tmp_path).get(digest)
    with pytest.raises(StoreError, match="no snapshot"):
        store.get("../../etc/passwd")


def test_what_the_disk_refused_is_written_later_in_order(tmp_path, refusing):
    store = Snapshots(tmp_path)
    with refusing(errno.ENOSPC):
        digest = store.put({"text": "a"})
        store.append_request({"request": 1})
        assert store.refused.reason == "ENOSPC"
        assert store.requests() == [{"request": 1}]
    store.append_request({"request": 2})
    assert store.refused is None
    again = Snapshots(tmp_path)
    assert again.requests() == [{"request": 1}, {"request": 2}]
    assert again.get(digest) == {"text": "a"}


@pytest.mark.parametrize("wrong", range(3))
def test_reasoning_comes_back_only_where_everything_matches(tmp_path, wrong):
    key = ["anthropic", "model", "prefix"]
    ReasoningStore(tmp_path / "r").put(*key, BLOCKS)
    store = ReasoningStore(tmp_path / "r")
    assert store.get(*key) == tuple(BLOCKS)
    key[wrong] = "other"
    assert store.get(*key) == ()


def test_reasoning_is_private_and_goes_at_the_boundary(tmp_path):
    store = ReasoningStore(tmp_path / "r")
    assert not store.clear()
    store.put("p", "m", "../../x", BLOCKS)
    (file,) = (tmp_path / "r").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert store.clear()
    assert store.get("p", "m", "../../x") == ()
    assert ReasoningStore(tmp_path / "r").get("p", "m", "../../x") == ()
    assert list((tmp_path / "r").iterdir()) == []


def test_a_damaged_blob_counts_as_none(tmp_path):
    ReasoningStore(tmp_path / "r").put("p", "m", "h", BLOCKS)
    (file,) = (tmp_path / "r").iterdir()
    file.write_bytes(file.read_bytes()[:20])
    assert ReasoningStore(tmp_path / "r").get("p", "m", "h") == ()
