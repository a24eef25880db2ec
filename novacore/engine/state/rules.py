"""Rules in a user's words: sentences with a modal, kept verbatim, each with its condition.

More is taken than strictly needed: a sentence too many costs a few tokens and can be resolved by
the user, a rule that is lost costs the user's trust.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from novacore.engine.state.typed import BLANK, typed_only, without_quotes

MAX_RULE_CHARS = 1_000
"""A longer "sentence" has no sentence ends: it is not prose."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence as it was typed, and the part of it that says when it holds ("" if always)."""

    text: str
    condition: str = ""


_EN_ANYWHERE = r"""
    must(?!\ have\ been|'ve) | mustn't | shall(?:\ not)? | should\ not | shouldn't | may\ not
  | under\ no\ circumstances | no\ matter\ what | (?:not|never)\ (?:be\ )?allowed | forbidden
  | prohibited | off[- ]limits | (?:is|are|be)\ (?:required|mandatory)
  | (?:has|have)\ to\ (?:be|stay|remain|keep|use|pass|work|go|run|support) | you\ have\ to
  | make\ sure | ensure | at\ most | at\ least | no\ more\ than | no\ later\ than | up\ to\ \d+
  | unless | only\ (?:if|when|after|once|use|edit|change|touch|modify|read|run|in|with)
  | provided\ that | as\ long\ as | approv(?:e|al) | sign[- ]?off | ask\ me\ (?:first|before)
  | without\ (?:my|changing|touching|modifying|editing|breaking|adding|using|asking|removing)
  | (?:i|we)\ (?:do\ not|don't)\ want | (?:you|we|one)\ can(?:not|'t) | cannot\ be
  | leave\ \S+(?:\ \S+){0,4}\ (?:alone|as\ is|unchanged|untouched)
  | keep\ \S+(?:\ \S+){0,6}\ (?:as\ is|unchanged|untouched|stable|compatible|working|intact)
  | (?:limit|cap|budget|maximum|minimum)\ (?:is|of|to|at)
  | (?:answer|reply|respond|write)\ [^.!?]{0,30}\bin\ (?:english|chinese)
"""
_EN_IMPERATIVE = r"(?:do\ not|don't|dont|never|always|avoid|refrain\ from|stick\ to|only)"
_EN_START = r"(?:^|[,;:(\-–—*•.]\s*|\b(?:please|and|but|so|you|we|just|also|then|or|to)\s+)"
_EN_ALWAYS = r"\b(?:never|always)\ (?!\w*[^s\s]s\b)\w+"
_ZH = (
    r"必须|务必|一定要|不要|不得|不能|不可(?!用|思议|避免)|不许|不准|禁止|严禁|切勿|请勿|勿"
    r"|不应|不允许|只能|只许|只准|仅限|只(?:改|用|动|读|在|有)|上限|下限|最多|至多"
    r"|至少|不超过|不少于|前提|除非|作废|改为|须由|由我|经我|需要我|先问我|先征得|审批"
    r"|(?:保持|维持)\S{0,20}(?:不变|兼容|原样)|应当|应该|永远|始终|总是|必需|不再|别(?![的人处名扭致墅])"
    r"|用(?:中文|英文|英语)(?:回答|回复|输出|写|说明|汇报)"
)
_NOT_BIE = re.compile(r"[特区级类分个性差辨识鉴判告派国道离送]别")
_MODAL = re.compile(
    rf"\b(?:{_EN_ANYWHERE})\b | {_EN_START}{_EN_IMPERATIVE}\b | {_EN_ALWAYS} | {_ZH}", re.I | re.X
)
_HEADING = re.compile(
    r"\b(?:rules?|constraints?|requirements?|restrictions?|limits?|conditions?|must(?:s| haves?)?)"
    r"[^\n.!?]{0,40}[:：]\s*$"
    r"|(?:要求|规则|约束|限制|原则|注意事项|条件|红线)[^\n。！？]{0,10}[:：]\s*$",
    re.I,
)
_BULLET = (
    r"(?:[-*•]|\(?\d{1,2}[.)、）:：](?!\d)|[（(]\d{1,2}[)）]|[①-⑳]"
    r"|[（(]?[a-z一二三四五六七八九十][)）、])"
)
_LIST_LINE = re.compile(rf"[ \t]*{_BULLET}[ \t]*\S")
_INLINE_ITEM = re.compile(rf"(?:(?<=[:：;；，,])\s*|^){_BULLET}\s*")
_END = re.compile(r"[。！？!?]+[”’\"')）]*|(?<![\d.])\.(?=\s|$)|(?<=\d)\.(?=\s+[A-Z]|\s*$)|\n\s*\n")
_REQUEST = re.compile(r"\s*(?:can|could|would|will)\s+you\b|\s*please\b|能否|能不能|可否|请", re.I)
_QUESTION = re.compile(r"[?？][”’\"')）]*\s*$|吗\s*$")
_CONDITION = re.compile(
    r"\b(?:unless|only if|only when|only after|provided that|as long as|except|until|before|if|when"
    r"|after|once)\b[^,;]*|(?:但?前提是|除非|只有|如果|若|当|直到)[^，；。]*"
    r"|[^，；。：]{1,20}(?:之前|前)(?=必须|不|须|要)",
    re.I,
)


def rules_in(text: str) -> Iterator[Rule]:
    """The rules that a user's message states, in order, each as a verbatim sentence of it."""
    typed = typed_only(text)
    masked = without_quotes(typed).replace(BLANK, " ")
    for start, end, listed in _sentences(masked):
        said, sentence = masked[start:end], text[start:end]
        whole = len(sentence) <= MAX_RULE_CHARS and BLANK not in typed[start:end]
        if whole and _is_rule(said, listed):
            condition = _CONDITION.search(said)
            found = sentence[condition.start() : condition.end()].strip() if condition else ""
            yield Rule(sentence, found if found != sentence else "")


def is_correction(text: str) -> bool:
    """Whether a sentence says that something said before no longer holds."""
    return bool(_CORRECTION.search(without_quotes(text)))


_CORRECTION = re.compile(
    r"\b(?:correction|instead of|no longer|not \S+ any ?more"
    r"|changed? (?:it|that|this|the)?.{0,40}\bto|scratch that|forget (?:what|the|that)"
    r"|i take (?:it|that) back|actually)\b"
    r"|更正|改为|改成|作废|不再|取消|之前说的|收回",
    re.I,
)


def _is_rule(said: str, listed: bool) -> bool:
    if not re.search(r"\w", said):
        return False
    if _QUESTION.search(said) and not _REQUEST.match(said):
        return False
    return listed or bool(_MODAL.search(_NOT_BIE.sub("  ", said).strip()))


def _sentences(masked: str) -> Iterator[tuple[int, int, bool]]:
    """Bounds of each sentence, and whether it is an item under a heading that announces rules."""
    under_heading = False
    for start, end in _blocks(masked):
        if not _LIST_LINE.match(masked[start:end]):
            under_heading = False
        elif under_heading:
            yield *_trim(masked, start, end), True
            continue
        for a, b in _split(masked, start, end):
            yield from _items(masked, a, b)
        under_heading = bool(_HEADING.search(masked[start:end].rstrip())) or under_heading


def _blocks(masked: str) -> Iterator[tuple[int, int]]:
    """Lines of lists one by one, other lines joined into paragraphs (prose may be hard-wrapped)."""
    start = position = 0
    for line in masked.splitlines(keepends=True):
        new = _LIST_LINE.match(line) or not line.strip() or _HEADING.search(line.rstrip())
        if new and start < position:
            yield start, position
            start = position
        position += len(line)
        if _HEADING.search(line.rstrip()) or not line.strip():
            if line.strip():
                yield start, position
            start = position
    if start < position:
        yield start, position


def _split(masked: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _END.finditer(masked, start, end):
        if masked[start : match.end()].strip():
            yield start, match.end()
        start = match.end()
    if masked[start:end].strip():
        yield start, end


def _items(masked: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Split "Rules: 1) a; 2) b" into its items; leave every other sentence whole."""
    marks = list(_INLINE_ITEM.finditer(masked, start, end))
    if len(marks) < 2:
        yield *_trim(masked, start, end), False
        return
    listed = bool(_HEADING.search(masked[start : marks[0].start()].rstrip()))
    places = [start, *(m.start() for m in marks), end]
    for index, (a, b) in enumerate(itertools.pairwise(places)):
        if masked[a:b].strip(" \t\n;；"):
            yield *_trim(masked, a, b), listed and index > 0


def _trim(masked: str, start: int, end: int) -> tuple[int, int]:
    while start < end and masked[start].isspace():
        start += 1
    while end > start and (masked[end - 1].isspace() or masked[end - 1] in ";；"):
        end -= 1
    return start, end
