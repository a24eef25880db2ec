"""The window, drawn: on a terminal and as a page."""

from __future__ import annotations

import html.parser
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import fake_service
from novacore.cli.page_chart import chart
from novacore.cli.window import cells

ID = "019a0000-1111-7222-8333-444455556666"
VOID = {"meta", "br", "img", "link"}


class Page(html.parser.HTMLParser):
    """What a page holds: its tags, every attribute, its text, and whether tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@given(st.lists(st.floats(0, 1), max_size=9), st.integers(9, 200))
def test_a_bar_shows_everything_and_never_overflows(shares, width):
    total = sum(shares) or 1
    shares = [share / max(1, total) for share in shares]
    sizes = cells(shares, width)
    assert sum(sizes) <= width
    assert [size > 0 for size in sizes] == [share > 0 for share in shares]


def test_every_number_is_explained(cli):
    out = cli("context").out
    for words in (
        "Request 3 of session 019a0000-1111",
        "3,853 of 200k tokens (1.9%) · compacts at 167k",
        "■ pay/callback.py:3-9 @9f3c77aa",
        "stale · read answered: ok",
        "不要修改 migrations/",
        "pinned · read answered: ok",
        "budget: evidence full",
        "deadline",
        "2 x aws-key masked",
        "2,990 tokens read from the provider's cache",
        "$0.0123",
    ):
        assert words in out


def test_a_request_of_a_session_can_be_named(cli, service):
    cli("context", ID, "--request", "2")
    assert ("context", ID, 2) in service.seen
    assert cli("context", "--request", "0").code == 2


def test_many_fragments_are_cut_to_the_largest(cli, service, monkeypatch):
    made = fake_service.manifest()
    row = made["fragments"][-2]
    made["fragments"] = [
        {**row, "id": f"f{n}", "tokens": n, "source": {"uri": f"file:f{n}"}} for n in range(500)
    ]
    monkeypatch.setattr(service, "context", lambda *_: made)
    out = cli("context").out
    assert "■ f499" in out
    assert "■ f1 " not in out
    assert "460 smaller ones" in out
    assert "■ f1 " in cli("context", "--all").out


def test_a_fragment_is_explained_by_id_source_or_words(cli):
    by_source = cli("context", "--explain", "pay/callback.py").out
    assert cli("context", "--explain", "pay/callback.py:3-9").out == by_source
    assert "why    read answered: ok" in by_source
    assert "costs  612 tokens, region evidence" in by_source
    assert "the whole text of r1" in by_source
    assert cli("context", "--explain", "MIGRATIONS").out.startswith("不要修改 migrations/\n")
    assert "Left out: docs/payments.md (3,900 tokens)" in cli("context", "--explain", "l1").out
    assert "near: system" in cli("context", "--explain", "sistem").err


def test_the_page_is_whole_escaped_and_needs_nothing_else(cli, tmp_path):
    assert cli("context", "--html", "w.html").code == 0
    text = (tmp_path / "w.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert "script" not in page.tags
    assert not {"img", "link", "iframe", "object", "form"} & set(page.tags)
    assert "default-src 'none'" in dict(page.attributes).get("content", "") or "default-src" in text
    assert not [v for n, v in page.attributes if n in ("src", "action") or n.startswith("on")]
    links = [v for n, v in page.attributes if n == "href"]
    assert links
    assert all(link.startswith("file:///w/") for link in links)
    assert not re.search(r"url\(|@import", text)
    assert "<script>alert(1)</script>" in page.text
    assert not set(text) & {"\x1b", "\u202e"}


def test_the_page_serves_both_themes_and_narrow_panels(cli, tmp_path):
    cli("context", "--html", "w.html")
    text = (tmp_path / "w.html").read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in text
    assert "max-width:900px" in text
    assert not re.search(r"[^-]width:\s*\d{3,}px", text)
    for words in ("3,853 of 200k tokens", "pinned", "stale", "Left out", "$0.0123", "deadline"):
        assert words in text


def test_a_page_that_cannot_be_written_is_said(cli):
    outcome = cli("context", "--html", "no/such/folder/w.html")
    assert outcome.code == 1
    assert "cannot be written" in outcome.err


@pytest.fixture
def crowded(service, monkeypatch):
    """A window with several tools and calls, in a session of three requests and two epochs."""
    made = fake_service.manifest()
    tools = [
        fake_service.fragment(f"tool:{name}", "tools", 100, f"tool:{name}") for name in ("a", "b")
    ]
    calls = [
        fake_service.fragment(
            f"c{n}", "history", 30, f"event:c{n}", kind="observation", preview=f"read path={n}.py"
        )
        for n in range(3)
    ]
    answer = fake_service.fragment(
        "s1", "evidence", 9, "tool:search", call="search pattern=x", preview="1 line"
    )
    made["fragments"] = [*tools, *made["fragments"][1:], *calls, answer]
    made["fragments"][4]["trust"] = "user"
    made["requests"] = [
        {"request": n, "epoch": epoch, "used": used}
        for n, epoch, used in ((1, 1, 1000), (2, 1, 9000), (3, 2, 4000))
    ]
    monkeypatch.setattr(service, "context", lambda *_: made)
    return made


def test_tools_and_calls_are_one_row_each(cli, crowded):
    out = cli("context").out
    assert "200  ■ 2 tools: a, b" in out
    assert "90  ■ 3 calls: 3 read" in out
    assert "■ search pattern=x" in out
    assert out.startswith("不要修改 migrations/\n")
    every = cli("context", "--all").out
    assert "100  ■ a " in every
    assert "■ read path=2.py" in every


def test_the_page_shows_fragments_by_region_and_tokens_by_request(cli, crowded, tmp_path):
    cli("context", "--html", "w.html")
    page = Page((tmp_path / "w.html").read_text(encoding="utf-8"))
    words = "".join(page.text.split())
    for told in (
        "不要修改 migrations/ request 3 epoch 1",
        "tools what the agent may call · 2 fragments 2,000",
        "3 calls of tools by the model 90",
        "request 3 began epoch 2: 9,000 to 4,000",
    ):
        assert told.replace(" ", "") in words
    assert page.tags.count("rect") == 3
    assert [value for name, value in page.attributes if value in ("now", "e0", "e1")] == [
        "e1", "e1", "now"
    ]  # fmt: skip


def test_a_single_request_needs_no_drawing(cli, crowded, tmp_path):
    crowded["requests"] = crowded["requests"][:1]
    cli("context", "--html", "w.html")
    assert "<svg" not in (tmp_path / "w.html").read_text(encoding="utf-8")


SIZES = st.lists(st.integers(0, 10**7), min_size=2, max_size=300)


@given(SIZES, st.integers(0, 10**6))
def test_a_drawing_stays_inside_its_frame(sizes, soft):
    rows = [{"request": n, "epoch": 1, "used": used} for n, used in enumerate(sizes, 1)]
    drawn = "".join(chart({"requests": rows, "request": 1, "soft": soft}))
    box = [float(n) for n in re.search(r'viewBox="([^"]+)"', drawn)[1].split()]
    bars = re.findall(r'x="([\d.]+)" y="(-?[\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawn)
    assert bars
    for x, y, width, height in (map(float, bar) for bar in bars):
        assert x >= 0 <= y
        assert x + width <= box[2] + 0.2
        assert y + height <= box[3]
