"""The navigator on NovaCore's own code: right places, quoted as they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from models.navigator_loop import CITED, REPOSITORY, Talk, cited

QUESTIONS = json.loads(Path(__file__).with_name("navigator_questions.json").read_text("utf-8"))
LEAST = 10
_SECTION = re.compile(
    r"^\*\*\d+\. `(?P<path>.+?):(?P<first>\d+)-(?P<last>\d+)`.*\n(?P<fence>`{3,})\w*\n"
    r"(?P<quote>(?:.*\n)*?)(?P=fence)$",
    re.MULTILINE,
)


async def test_right_files_are_among_the_cited_places():
    missed = []
    for row in QUESTIONS:
        answer = await Talk(REPOSITORY).say(row["question"])
        if not set(cited(answer)) & set(row["right"]):
            missed.append((row["question"], cited(answer)))
    assert len(QUESTIONS) - len(missed) >= LEAST, missed


@pytest.mark.parametrize("row", QUESTIONS[::3], ids=lambda row: row["question"])
async def test_quotes_stand_in_the_lines_that_are_cited(row):
    answer = await Talk(REPOSITORY).say(row["question"])
    sections = list(_SECTION.finditer(answer))
    assert len(sections) == len(CITED.findall(answer)) > 0
    for section in sections:
        lines = (REPOSITORY / section["path"]).read_text("utf-8").split("\n")
        stretch = lines[int(section["first"]) - 1 : int(section["last"])]
        quote = section["quote"].removesuffix("\n").split("\n")
        assert len(quote) <= 12
        starts = range(len(stretch) - len(quote) + 1)
        assert any(stretch[start : start + len(quote)] == quote for start in starts)


async def test_few_calls_and_a_small_window():
    talk = Talk(REPOSITORY)
    await talk.say(QUESTIONS[0]["question"])
    assert talk.steps <= 6
    assert (
        len([call for call in talk.calls if call.name == "read" and "outline" not in call.input])
        <= 4
    )
    assert sum(len(str(message)) for message in talk.messages) < 100_000
