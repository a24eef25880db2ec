"""The pages of the documentation, and what stands in them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(DOCS.rglob("*.md")),
]
_FENCE = re.compile(r"^(`{3,})([^\n]*)\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def text_of(path):
    return path.read_text(encoding="utf-8")


def fenced(path):
    """Each fenced block of a page: what stands behind the fence, and its text."""
    return [(info.strip(), body) for _, info, body in _FENCE.findall(text_of(path))]


def prose(path):
    """A page without its fenced blocks."""
    return _FENCE.sub("", text_of(path))


def section(path, heading):
    """The text below a heading line, up to the next one that is not deeper."""
    lines = text_of(path).splitlines()
    start = lines.index(heading)
    level = len(heading) - len(heading.lstrip("#"))
    deeper = re.compile(rf"#{{1,{level}}} ")
    end = next((i for i in range(start + 1, len(lines)) if deeper.match(lines[i])), len(lines))
    return "\n".join(lines[start:end])


def maker():
    """The script that makes the reference pages."""
    path = REFERENCE / "make_reference.py"
    spec = importlib.util.spec_from_file_location("make_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
