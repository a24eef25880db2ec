"""P04: the budget of a message, exemptions, and a disk that refuses; at the door of the engine."""

from __future__ import annotations

import errno
import json
from dataclasses import replace

import pytest

from novacore.store.artifacts import ArtifactStore
from novacore.store.log import EventLog
from novacore.tokens import estimate
from spill.door import CHARS_ONLY, output, refusing_disk, settled

CASE = ("cases", "agent", "P04_spill_budget_and_bad_disk")


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "tool-results")


@pytest.fixture
def scenarios(shared):
    given = json.loads((shared(*CASE) / "input.json").read_text())
    assert given["config"]["result_limit_chars"] == CHARS_ONLY.result_chars
    assert given["config"]["message_limit_chars"] == CHARS_ONLY.message_chars
    return {scenario["id"]: scenario for scenario in given["scenarios"]}


@pytest.fixture
def expected(shared):
    facts = json.loads((shared(*CASE) / "expect.json").read_text())["facts"]
    return {key: value for fact in facts for key, value in fact["check"].items()}


def outputs(results):
    return [output(row["id"], _text(row), exempt=row.get("is_read_back", False)) for row in results]


def _text(row):
    # Blocks are one result: a tool's text blocks are joined before they are measured.
    sizes = [block["chars"] for block in row["blocks"]] if "blocks" in row else [row["chars"]]
    return "".join("x" * size for size in sizes)


class Watched(ArtifactStore):
    """Remembers the order in which texts were spilled."""

    def __init__(self, folder):
        super().__init__(folder)
        self.order = []

    def put(self, call_id, text, *, tokens=0):
        self.order.append(call_id)
        return super().put(call_id, text, tokens=tokens)


async def spilled(scenario, folder):
    store = Watched(folder)
    result = await settled(outputs(scenario["results"]), store, limits=CHARS_ONLY)
    assert [p.id for p in result.pieces if p.spill is not None] == sorted(store.order)
    return store.order, result


async def test_f1_exactly_at_the_limit_a_result_stays(scenarios, expected, tmp_path):
    assert (await spilled(scenarios["S1"], tmp_path))[0] == expected["S1.spilled"]


async def test_f2_largest_first_of_equals_the_earlier_and_no_read_back(
    scenarios, expected, tmp_path
):
    for run in range(3):
        order, result = await spilled(scenarios["S2"], tmp_path / str(run))
        assert order == expected["S2.spilled_in_order"]
        assert sum(len(piece.text) for piece in result.pieces) <= CHARS_ONLY.message_chars


async def test_f3_only_read_backs_end_with_nothing_spilled(scenarios, expected, tmp_path):
    order, result = await spilled(scenarios["S3"], tmp_path)
    assert order == expected["S3.spilled"]
    assert [len(piece.text) for piece in result.pieces] == [120_000, 120_000]


async def test_f4_blocks_are_spilled_as_one_result(scenarios, expected, tmp_path):
    order, result = await spilled(scenarios["S4"], tmp_path)
    assert order == expected["S4.spilled"]
    assert result.pieces[0].spill["chars"] == 70_000


@pytest.fixture
async def full_disk(scenarios, store):
    """S5 up to the next request: one huge result, no room on the disk."""
    disk = scenarios["S5"]["disk"]
    with refusing_disk(getattr(errno, disk["error"]), after=disk["after_bytes"]) as refused:
        result = await settled(outputs(scenarios["S5"]["results"]), store)
    return result, refused


async def test_f5_one_attempt_and_nothing_of_it_left(full_disk, expected, store):
    result, refused = full_disk
    assert len(refused) == expected["S5.write_attempts"]
    assert list(store.folder.iterdir()) == []
    assert str(store.folder) not in result.pieces[0].text


async def test_f6_the_next_request_fits_and_says_why(full_disk, expected):
    result, _ = full_disk
    (piece,) = result.pieces
    assert piece.tokens < expected["S5.request_max_tokens"]
    assert estimate("x" * 900_000) > expected["S5.request_max_tokens"]
    assert "ENOSPC" in piece.text
    assert "kept in memory for now" in piece.text
    assert "1| xxx" in piece.text


async def test_f7_once_the_disk_works_results_are_spilled_again(
    full_disk, scenarios, expected, store
):
    result = await settled(outputs(scenarios["S5"]["results2"]), store)
    assert [p.id for p in result.pieces if p.spill["stored"]] == expected["S5.spilled2"]
    assert store.get("z").path.read_text() == "x" * 60_000
    assert store.get("y").stored, "what the disk refused is written as soon as it takes it"


async def test_f8_one_warning_and_nothing_is_lost(scenarios, expected, store, tmp_path):
    log = EventLog.create(tmp_path / "events.jsonl")
    with refusing_disk(errno.EROFS):
        first = await settled(outputs(scenarios["S6"]["results"]), store)
        again = await settled([replace(outputs(scenarios["S6"]["results"])[0], id="r")], store)
        event = log.append("tool_result", {"text": first.pieces[0].text}, by="tool", turn=1)
        assert log.unwritten == 1
    assert len((*first.notices, *again.notices)) == expected["warnings"]
    assert log.events[-1] == event
    log.append("turn_end", {"stop_reason": "end_turn"}, by="host", turn=1)
    assert log.unwritten == 0
