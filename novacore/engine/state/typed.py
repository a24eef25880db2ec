"""What a person typed in a message: without fences, quotes, stubs and pastes; and its language."""

from __future__ import annotations

import re
from itertools import groupby

PASTE_CHARS = 2_000
"""A block of text over this is a paste, not something that was typed."""

BLANK = "\x00"
"""Stands for each character that was not typed; lines and offsets stay as they were."""

QUOTED = "\x01"
"""Stands for each character that was typed as a quotation or a name."""

_FENCE = re.compile(r"^[ \t]*(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_STUB = re.compile(r"<(persisted-output|pasted)\b.*?(?:</\1[^>]*>|\Z)", re.S)
_QUOTED_LINE = re.compile(r"^[ \t]*>[^\n]*$", re.M)
_QUOTE = re.compile(
    r"`[^`\n]{1,500}`|“[^”\n]{0,500}”|「[^」\n]{0,500}」|『[^』\n]{0,500}』"
    r"|\"[^\"\n]{0,500}\"|(?<!\w)'[^'\n]{0,500}'(?!\w)"
)
_MACHINE_LINE = re.compile(
    r"\s{4,}\S|\s*(?:\d{2,4}[-:/]\d\d|\[|\{|\}|<|\||#\d|at |File \"|\w+ ?="
    r"|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|\S+:\d+)"
)
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_TOKEN = re.compile(r"[A-Za-zÀ-ɏ0-9_./\\@#:'-]+")
_ASKED = (
    ("en", re.compile(r"\b(?:answer|reply|respond|write)\b[^.!?\n]{0,40}\bin english\b", re.I)),
    ("zh", re.compile(r"\b(?:answer|reply|respond|write)\b[^.!?\n]{0,40}\bin chinese\b", re.I)),
    ("en", re.compile(r"用(?:英文|英语)(?!\S{0,4}(?:变量|注释|命名))")),
    ("zh", re.compile(r"用(?:中文|汉语|简体)(?!\S{0,4}(?:变量|注释|命名))")),
)


def typed_only(text: str) -> str:
    """``text`` with everything that was not typed blanked out, character by character."""
    for pattern in (_STUB, _FENCE, _QUOTED_LINE):
        text = pattern.sub(_blank, text)
    return _without_pastes(text) if len(text) > PASTE_CHARS else text


def without_quotes(typed: str) -> str:
    """``typed`` with quotations and code spans blanked out too: they are named, not said."""
    return _QUOTE.sub(lambda match: QUOTED * len(match.group()), typed)


def language_of(text: str) -> str:
    """``zh``, ``en``, or "" when there are no words. Names, numbers and paths do not count."""
    said = without_quotes(text)
    chinese = len(_CJK.findall(said)) or len(_CJK.findall(text))
    latin = sum(1 for token in _TOKEN.findall(said) if _is_word(token.strip(".:-/'")))
    if not chinese and not latin:
        return ""
    return "zh" if chinese >= latin else "en"


def asked_language(typed: str) -> str:
    """The language that the user asks to be answered in, "" when nothing is asked."""
    found = [(m.start(), name) for name, p in _ASKED for m in p.finditer(typed)]
    return max(found)[1] if found else ""


def _blank(match: re.Match[str]) -> str:
    return "".join(c if c == "\n" else BLANK for c in match.group())


def _is_word(token: str) -> bool:
    return len(token) > 1 and token.replace("'", "").replace("-", "").isalpha()


def _without_pastes(text: str) -> str:
    """Blank paragraphs over the limit, and runs of machine-made paragraphs that together are."""
    pieces: list[str] = []
    run: list[str] = []
    at_start = True
    for paragraph in [*_paragraphs(text), None]:
        if paragraph is not None and (_pasted(paragraph) or (run and not paragraph.strip())):
            run.append(paragraph)
            continue
        pieces += _blank_run(run, at_start=at_start)
        run = []
        pieces.append(paragraph or "")
        at_start = at_start and not (paragraph or "").strip()
    return "".join(pieces)


def _paragraphs(text: str) -> list[str]:
    """Runs of lines with text, and runs of blank lines, in order; joined they are ``text``."""
    return ["".join(run) for _, run in groupby(_lines(text), key=lambda line: bool(line.strip()))]


def _lines(text: str) -> list[str]:
    # str.splitlines would also split at characters that are text in a log line.
    *ended, last = text.split("\n")
    return [*(line + "\n" for line in ended), *([last] if last else [])]


def _pasted(paragraph: str) -> bool:
    lines = [line for line in paragraph.split("\n") if line.strip(BLANK + " \t\r")]
    machine = sum(1 for line in lines if _MACHINE_LINE.match(line))
    return len(paragraph) > PASTE_CHARS or (bool(lines) and machine * 2 >= len(lines))


def _blank_run(run: list[str], *, at_start: bool) -> list[str]:
    text = "".join(run)
    if len(text.strip()) <= PASTE_CHARS:
        return run
    first, end, rest = text.partition("\n")
    # A short first line of the message that introduces the paste was typed.
    if at_start and end and len(first) < 400 and not _MACHINE_LINE.match(first):
        return [first, end, re.sub(r"[^\n]", BLANK, rest)]
    return [re.sub(r"[^\n]", BLANK, text)]
