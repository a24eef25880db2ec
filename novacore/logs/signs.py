"""How strongly a line of output speaks of a failure: general signs, no tool's whole format."""

from __future__ import annotations

import re
from dataclasses import dataclass

from novacore.logs.lines import LOOK, bare

NOTHING, WEAK, VERDICT, CAUSE = 0, 1, 2, 3
"""No sign; a word in passing; a count or an exit code; the error itself."""

_CANDIDATE = re.compile(
    r"error|fail|fatal|exception|traceback|panic|\bexit|denied|cannot|unable|undefined|not found"
    r"|no such|no space|abort|killed|fault|not ok|unhandled|uncaught|npm ERR|\*\*\*|^E  "
    r"|:\d+:\d+:? +[A-Z]+\d|[✕✖✗×●]",
    re.IGNORECASE | re.MULTILINE,
)

_HINTS = (
    "error", "fail", "fatal", "exception", "traceback", "panic", "exit", "denied", "cannot",
    "unable", "undefined", "not found", "no such", "no space", "abort", "killed", "fault", "not ok",
    "unhandled", "uncaught", "npm err", "***",
)  # fmt: skip
_PLACED = re.compile(r":\d+:\d+:? +[A-Za-z]+\d")

_EXCEPTION = r"(?:[\w$]+(?:\.|::|/))*[A-Z][\w$]*(?:Error|Exception|Failure|Panic|Interrupt)"
_CAUSES = re.compile(
    r"E {2,}\S"
    r"|\s*(?:\S+: |\w+/)?\[?(?:ERROR|FATAL|error|fatal|Error|Fatal)(?:\[\w+\])?\]? ?(?:TS\d+)?"
    r"(?::(?!:)|(?<=\])) *\S"
    r"|(?i:\s*(?:\S+: )?(?:fatal|internal|syntax|type|link(?:er)?|build|compilation) error\b)"
    r"|\S*##\[error\]|::error\b|npm ERR!|npm error|\*\*\* |panic: |\s*✖ |!!! "
    r"|\s*(?:Caused(?: by)?: |Exception in thread \S+ |Uncaught |Unhandled \w+ )?"
    rf"{_EXCEPTION}(?::|$|\s\S)"
    r"|(?:thread '.*?' panicked at|Segmentation fault|Killed$|Aborted)"
    r"|.{0,200}?[\w)\]]\.\w{1,8}[:(]\[?\d+(?:[:,]\d+)?[\])]?:? *-? *"
    r"(?:(?:fatal )?[Ee]rror\b|undefined|Failure$)"
    r"|\s*\d+:\d+\s+error\s|\S+\.\w{1,8}:\d+:\d+:? +[A-Z]{1,4}\d{2,5}\b"
    r"|.{0,200}?(?:: command not found|No space left on device|: Permission denied|Out of memory"
    r"|[Cc]annot find (?:module|symbol|package)|undefined reference|unresolved external"
    r"|No rule to make target|[Cc]ould not (?:resolve|find|compile|checkout))"
)
_FAILED_CASES = re.compile(
    r"\s*(?:--- FAIL: |\[ +FAILED +\]|not ok \d|FAILED? |✕ |✗ |× |● |\d+\) \S)"
    r"|.*(?:\.\.\. (?:FAILED|FAIL|ERROR)$|<<< (?:FAILURE|ERROR)!| FAILED$"
    r"|\*\*\*(?:Failed|Exception))"
)
_VERDICTS = re.compile(
    r"(?i:.{0,200}?\b(?:[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors?|problems)\b"
    r"|(?:failures|errors|failed)[:=] ?[1-9])"
    r"|.{0,200}?\bexit(?:ed)?(?: with)?(?: code| status)?:? [1-9]\d*\b"
    r"|.{0,200}?\b(?:exit status|return(?:ed)? (?:code|non-zero|status code)|rc=)\D{0,8}[1-9]"
    r"|\W*(?:build|tests?|compilation|command|job|check|deploy(?:ment)?)"
    r" (?:failed|failure|unsuccessful)"
    r"|.{0,200}?\b(?:marked build as failure|finished: failure|unsuccessful!"
    r"|build (?:failure|failed)))"
)
_WORDS = re.compile(
    r"(?i:(?<![\w./-])(?:errors?|fail(?:ed|s|ures?)?|fatal|exceptions?|cannot|unable|denied"
    r"|undefined|not found|abort(?:ed|ing)?|timed out)(?![\w/-]|\.\w))"
    r"|Traceback \(most recent call last\)"
)
_GOOD = re.compile(
    r"(?i:\s*(?:\[\s*\w*\s*\]\s*)?(?:passed|ok|xfail|xpass|skipped|success|✓|√|✔)\b"
    r"|.*(?:\.\.\. ?ok| passed| skipped| xfail| ok)(?:\s+\[\s*\d+%\])?$"
    r"|.{0,200}?\b(?:0|no|zero|without|ignor\w+) "
    r"(?:(?:\w+ )?errors?|failures?|failed|failing|problems))"
)
_QUIET_LEVEL = re.compile(
    r"\s*\[?(?:INFO|DEBUG|TRACE|NOTICE|WARN(?:ING)?|info|debug|warn(?:ing)?)\b"
)
_SOURCE = re.compile(r"[+>-]?\s+(?:except|raise|throw|catch|assert|def|return|if|import)\b|[+-] ")
_ADVICE = re.compile(
    r"(?i)\W*(?:\w+\W+)?\W*(?:to see the full|re-?run|for more information|after correcting"
    r"|please (?:refer|read|see)|run with|see (?:also|http)|try |hint:|use -v|\[help \d+\]"
    r"|a complete log|-> \[help)"
)
_CONTENTLESS = re.compile(r"(?i)\W*(?:\w+[\s\]]*){0,3}:\s*$|\W*(?:error|fatal)?\W*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What a line says. ``line`` is 1-based; ``case``: it names a failed case."""

    line: int
    score: int
    text: str
    case: bool = False


def score(text: str) -> int:
    """The score of one line, already bared: NOTHING, WEAK, VERDICT or CAUSE."""
    if not _CANDIDATE.search(text) or _GOOD.match(text):
        return NOTHING
    if _QUIET_LEVEL.match(text):
        return WEAK if _VERDICTS.match(text) else NOTHING
    if _ADVICE.match(text):
        return NOTHING
    if _VERDICTS.match(text):
        return VERDICT
    if _SOURCE.match(text):
        return WEAK if _WORDS.search(text) else NOTHING
    if _CAUSES.match(text) or _FAILED_CASES.match(text):
        return CAUSE
    return WEAK if _WORDS.search(text) else NOTHING


def signs(lines: list[str], *, limit: int = 4000) -> list[Sign]:
    """The scored lines in their order; of more than ``limit`` those at both ends."""
    found = [i for i, line in enumerate(lines) if _hints(line) and _CANDIDATE.search(line)]
    if len(found) > limit:
        found = found[: limit // 2] + found[-limit // 2 :]
    result = []
    for index in found:
        text = bare(_around_sign(lines[index]))
        points = score(text)
        if points:
            case = bool(_FAILED_CASES.match(text))
            result.append(Sign(line=index + 1, score=points, text=text, case=case))
    return result


def _hints(line: str) -> bool:
    """What every candidate fulfils; ten times as fast on the many lines that are none."""
    low = line.lower()
    return (
        any(word in low for word in _HINTS)
        or low.startswith("e  ")
        or not low.isascii()
        or _PLACED.search(low) is not None
    )


def sign_position(line: str) -> int:
    """Where the first word of a failure stands in a line; 0 if there is none."""
    found = _CANDIDATE.search(line)
    return found.start() if found else 0


def _around_sign(line: str) -> str:
    if len(line) <= LOOK:
        return line
    start = max(0, sign_position(line) - 40)
    return line[start : start + LOOK]


def contentless(text: str) -> bool:
    """Whether a bared line is a heading such as `[ERROR] COMPILATION ERROR :`."""
    return bool(_CONTENTLESS.match(text))
