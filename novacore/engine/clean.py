"""Terminal noise out of a command's output: what a person would have seen at the end stays."""

from __future__ import annotations

import re

from novacore.engine.terminal_screen import Screen

_NOISE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]|\[\d*(?:;\d+)*m")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

# A body never crosses a line or another escape: an unterminated sequence must not swallow text.
_TOKEN = re.compile(
    r"\x1b\[(?P<csi>[0-?]*[ -/]*[@-~])"
    r"|\x9b(?P<c1>[0-?]*[ -/]*[@-~])"
    r"|\x1b\][^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[PX^_][^\x1b\r\n]*\x1b\\"
    r"|\x1b\[[0-?]*[ -/]*|\x1b\](?:\d+;)?"
    r"|\x1b[ -/]*[0-~]?"
    r"|(?P<newline>\r*[\n\x0b\x0c])"
    r"|(?P<move>[\r\x08])"
    r"|[\x00-\x08\x0e-\x1f\x7f-\x9f]"
    r"|(?P<text>[^\x00-\x08\x0a-\x1f\x7f-\x9f]+)"
)
_SEQUENCE = re.compile(_TOKEN.pattern.split(r"|(?P<newline>")[0])
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean(text: str) -> str:
    r"""What a terminal would show of ``text`` at its end; scrolled-off lines are kept.

    Colours, titles, links and other control bytes go; of a progress line the last frame stays;
    ``\r\n`` becomes ``\n``; lone surrogates become U+FFFD. Linear in the length of the text. For
    output of commands only: a file's bytes are not cleaned.
    """
    if not _NOISE.search(text):
        return text
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    shown = _play(text) if _CONTROL.search(text) else text
    if not shown.strip():
        shown = _last_frames(text)
    return strip_lost_colours(shown)


def _play(text: str) -> str:
    screen = Screen()
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "text":
            screen.write(token[0])
        elif kind == "newline":
            screen.newline()
        elif kind == "move":
            screen.carriage_return() if token[0] == "\r" else screen.left(1)
        elif kind is not None:
            screen.control(token[kind])
    return screen.text()


def _last_frames(text: str) -> str:
    # What erases itself to the last character would leave nothing: the last frame stands for it.
    plain = _SEQUENCE.sub("", text)
    lines = (
        next((part for part in reversed(re.split(r"[\r\x0b\x0c]", line)) if part.strip()), "")
        for line in plain.split("\n")
    )
    return _CONTROL.sub("", "\n".join(lines))


# --- colours whose ESC byte was lost on the way, as in `[1;31mERROR[m` -----------------------

_COLOUR = re.compile(r"\[((?:\d{1,3}(?:;\d{1,3})*)?)m")
_SPELT = re.compile(r"(?:\\(?:0?33|x1[bB]|[eE]|u001[bB]|u\{1[bB]\})|\^\[)$")
_RESETS = frozenset({"", "0", "00", "22", "39", "49"})


def strip_lost_colours(text: str) -> str:
    """Remove colour codes without ESC, if a line proves them: one that opens and one that resets.

    ``rate(x[5m])`` and a source that spells ``\\033[1m`` are ordinary text and stay.
    """
    if "m" not in text or not _COLOUR.search(text):
        return text
    lines = text.split("\n")
    marks = {index: found for index, line in enumerate(lines) if (found := _colours(line))}
    if not any(_proves(found, lines[index]) for index, found in marks.items()):
        return text
    for index, found in marks.items():
        lines[index] = _without(lines[index], found)
    return "\n".join(lines)


def _colours(line: str) -> list[re.Match[str]]:
    if "[" not in line:
        return []
    return [
        m
        for m in _COLOUR.finditer(line)
        if not _SPELT.search(line, max(0, m.start() - 6), m.start())
    ]


def _proves(found: list[re.Match[str]], line: str) -> bool:
    opened = False
    for match in found:
        if match[1] in _RESETS:
            if opened:
                return True
        elif _is_colour(match[1]) and line[match.end() : match.end() + 1] != "]":
            opened = True
    return False


def _is_colour(codes: str) -> bool:
    numbers = [int(code) for code in codes.split(";")]
    return all(n <= 107 for n in numbers) or numbers[:2] in ([38, 5], [48, 5], [38, 2], [48, 2])


def _without(line: str, found: list[re.Match[str]]) -> str:
    paired, length = _proves(found, line), len(line.rstrip())
    kept, at = [], 0
    for match in found:
        ends = match.end() == length
        if paired or ";" in match[1] or (ends and match[1] in _RESETS):
            kept.append(line[at : match.start()])
            at = match.end()
    return "".join([*kept, line[at:]])
