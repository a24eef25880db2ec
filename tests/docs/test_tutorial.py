"""The first half of the tutorial, done as it says: without a key, from the fenced blocks."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from docs.pages import DOCS, fenced
from service.project_kit import novacore

PAGE = DOCS / "tutorial" / "first-turn.md"


@pytest.fixture
def invoice(tmp_path):
    folder = tmp_path / "invoice"
    folder.mkdir()
    module, test = [body for info, body in fenced(PAGE) if info == "python"][:2]
    (folder / "invoice.py").write_text(module)
    (folder / "test_invoice.py").write_text(test)
    return folder


def shown(begins):
    """The first command line of the page that begins so."""
    lines = (line for _, body in fenced(PAGE) for line in body.splitlines())
    return shlex.split(next(line for line in lines if line.startswith(begins)))[1:]


def blocks_with(words):
    return next(body for _, body in fenced(PAGE) if words in body)


def test_what_the_page_shows_is_what_happens(invoice):
    answer = novacore(*shown("novacore ask"), cwd=invoice).stdout
    quoted = blocks_with("**1. `invoice.py:4-6`")
    for line in quoted.splitlines()[3:]:
        assert line in answer
    context = novacore("context", cwd=invoice).stdout
    for name in ("tools", "system", "rules", "conversation", "evidence"):
        assert re.search(rf"■ {name} +[\d,]+ +[\d.]+%", context)
    assert "■ invoice.py:9-11 @" in context
    explained = novacore(*shown("novacore context --explain"), cwd=invoice).stdout
    told = blocks_with("asked  read path=invoice.py, symbol=gross")
    for line in told.splitlines()[1:3]:
        assert line in explained


def test_the_reads_of_the_page_give_the_same_function(invoice):
    by_lines = novacore(*shown("novacore read invoice.py:9-11"), cwd=invoice).stdout
    by_name = novacore(*shown("novacore read invoice.py::gross"), cwd=invoice).stdout
    assert by_lines.splitlines()[1:] == by_name.splitlines()[1:]
    assert by_lines.splitlines()[1].startswith("def gross(")


def test_room_is_made_by_hand_and_the_words_stay(invoice):
    asked = novacore(*shown("novacore ask"), "--json", cwd=invoice).stdout
    session = json.loads(asked.splitlines()[-1])["data"]["sessionId"]
    for question in ("And where is it tested?", "Never change the tests. Where is net called?"):
        novacore("ask", "--session", session[:17], question, cwd=invoice)
    made = novacore("compact", session[:17], cwd=invoice)
    assert re.search(r"tokens by compact_state · accepted", made.stdout), made
    novacore("ask", "--session", session, "Where is gross called?", cwd=invoice)
    context = novacore("context", session, cwd=invoice).stdout
    assert "■ summary" in context
    assert "Never change the tests. Where is net called?" in context
