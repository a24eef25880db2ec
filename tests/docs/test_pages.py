"""Links lead somewhere, pictures are small, and every command that is shown exists."""

from __future__ import annotations

import re
import shlex

import pytest
from typer.main import get_command

from docs.pages import DOCS, PAGES, ROOT, fenced, prose, text_of
from novacore.cli.app import app

_LINK = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|srcset)=\"([^\"]+)\"")
_IN_LINE = re.compile(r"`(novacore [^`]+)`")


def anchors(path):
    """The anchors that a page's headings have on a forge."""
    found = re.findall(r"^#+ (.+)$", text_of(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for found in _LINK.findall(prose(page)):
        target, _, anchor = (found[0] or found[1]).partition("#")
        assert not target.startswith("/")
        if target.startswith(("http:", "https:")):
            continue
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), anchor


def test_every_module_that_the_architecture_names_is_there():
    named = re.findall(r"`([a-z_/]+(?:\.py|/))`", text_of(ROOT / "ARCHITECTURE.md"))
    assert len(named) > 30
    for name in named:
        places = (ROOT, ROOT / "novacore")
        assert any((place / name).exists() for place in places), name


def test_every_page_is_reached_from_the_index():
    told = text_of(DOCS / "index.md")
    for page in sorted(DOCS.rglob("*.md")):
        if page.name != "index.md":
            assert f"({page.relative_to(DOCS).as_posix()})" in told


@pytest.mark.parametrize("picture", sorted((DOCS / "images").glob("*.png")), ids=lambda p: p.name)
def test_a_picture_is_small_and_used(picture):
    assert picture.stat().st_size < 300_000
    assert f"docs/images/{picture.name}" in text_of(ROOT / "README.md")


def commands():
    """Every command line that a page shows, once, with the page."""
    seen = {}
    for page in PAGES:
        shown = [line for _, body in fenced(page) for line in body.splitlines()]
        shown += _IN_LINE.findall(" ".join(prose(page).split()))
        for line in shown:
            if line.startswith("novacore ") and "|" not in line and "[" not in line:
                seen.setdefault(line, page)
    return sorted(seen)


@pytest.mark.parametrize("line", commands())
def test_a_command_that_is_shown_exists_and_has_these_options(line):
    words = [word for word in shlex.split(line, comments=True)[1:] if word != "..."]
    if words[0] in COMING:
        return
    command = get_command(app)
    options = {"--help", "--debug", "--version", "-V", "--install-completion"}
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    if words and not words[0].startswith("-"):
        assert not getattr(command, "commands", {}), f"no such command: {words[0]}"
    options |= {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("-") and len(word) > 1} <= options


COMING = {"new", "COMMAND"}
"""Named on a page as coming with a later release, or standing for any command."""


def test_what_is_named_as_coming_is_not_there_yet():
    assert "new" not in get_command(app).commands
    for page in PAGES:
        assert "novacore new" not in text_of(page) or "later release" in text_of(page), page
