"""Anthropic prompt caching, simulated: exact prefixes, breakpoints, look-back, expiry.

Sources: platform.claude.com prompt-caching; floors and look-back as listed in README.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from fakellm.errors import invalid
from fakellm.prompt import CACHE_MARK, blocks_of, canonical, placed_blocks, unmarked
from fakellm.signatures import REASONING
from fakellm.tokens import Counter

Body = dict[str, Any]

MAX_MARKS = 4
LOOKBACK_BLOCKS = 20
LIFE_SECONDS = {"5m": 300.0, "1h": 3600.0}
OVERHEAD_TOKENS = 4


@dataclass(frozen=True)
class PromptBlock:
    """One block of the prompt: its content, its tokens, and the life of its mark, if any."""

    content: str
    tokens: int
    life: str | None
    markable: bool = True


@dataclass(frozen=True)
class CacheUse:
    """The input counters of a reply; their sum is the whole prompt."""

    read: int
    written_5m: int
    written_1h: int
    uncached: int


def floor_tokens(model: str) -> int:
    """The shortest prefix that the model caches; below it nothing is cached, nothing fails."""
    floors = {"opus-4-5": 4096, "opus-4-6": 4096, "haiku-4-5": 4096, "opus-4-7": 2048}
    floors |= {"opus-5": 512, "fable-5": 512, "mythos-5": 512}
    return next((tokens for part, tokens in floors.items() if part in model), 1024)


def prompt_blocks(body: Body, counter: Counter) -> list[PromptBlock]:
    """The prompt in the order tools, system, messages. Deferred tools are not in it."""
    settings = canonical([body.get("tool_choice"), body.get("thinking")])
    blocks = [
        _prompt_block(
            p.role if p.role in ("tools", "system") else settings + p.role, p.block, counter
        )
        for p in placed_blocks(body)
        if not p.block.get("defer_loading")
    ]
    if top := body.get(CACHE_MARK):
        _mark_last(blocks, top.get("ttl", "5m"))
    return blocks


def check_marks(blocks: list[PromptBlock]) -> None:
    """At most four marks, and a longer life before a shorter one."""
    lives = [b.life for b in blocks if b.life]
    if len(lives) > MAX_MARKS:
        raise invalid(
            f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. "
            f"Found {len(lives)}."
        )
    if "5m" in lives and "1h" in lives[lives.index("5m") :]:
        raise invalid(
            "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. "
            "Note that blocks are processed in the following order: `tools`, `system`, `messages`."
        )


class PromptCache:
    """Cached prefixes by hash. ``clock`` (seconds) is injected: a test can let them expire."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._entries: dict[bytes, tuple[float, float]] = {}

    def use(self, model: str, blocks: list[PromptBlock]) -> CacheUse:
        """Read the longest prefix that a mark can see, then write one entry at every mark."""
        now = self._clock()
        hashes = list(_prefix_hashes(model, blocks))
        totals = list(accumulate(b.tokens for b in blocks))
        marks = [i for i, b in enumerate(blocks) if b.life and totals[i] >= floor_tokens(model)]
        hit = max((j for i in marks for j in self._look_back(i, hashes, now)), default=-1)
        read = totals[hit] if hit >= 0 else 0
        if hit >= 0:
            self._refresh(hashes[hit], now)
        written = {"5m": 0, "1h": 0}
        done = read
        for i in marks:
            life = blocks[i].life or "5m"
            written[life] += max(0, totals[i] - done)
            done = max(done, totals[i])
            self._entries[hashes[i]] = (now + LIFE_SECONDS[life], LIFE_SECONDS[life])
        total = totals[-1] if totals else 0
        return CacheUse(read, written["5m"], written["1h"], total - done)

    def _refresh(self, key: bytes, now: float) -> None:
        life = self._entries[key][1]
        self._entries[key] = (now + life, life)

    def _look_back(self, mark: int, hashes: list[bytes], now: float) -> Iterator[int]:
        for j in range(mark, max(-1, mark - LOOKBACK_BLOCKS), -1):
            entry = self._entries.get(hashes[j])
            if entry and entry[0] > now:
                yield j
                return


def _prompt_block(kind: str, block: Body, counter: Counter) -> PromptBlock:
    mark = block.get(CACHE_MARK)
    if block.get("type") == "tool_result":
        inner = blocks_of(block.get("content"))
        mark = mark or next((b[CACHE_MARK] for b in inner if b.get(CACHE_MARK)), None)
    bare = unmarked(block)
    plain = bare.get("type") == "text" and len(bare) == 2
    text = bare["text"] if plain else canonical(bare)
    markable = bare.get("type") not in REASONING and bool(text.strip())
    if mark and not markable:
        what = "thinking blocks" if text.strip() else "empty text blocks"
        raise invalid(f"cache_control cannot be set for {what}")
    life = mark.get("ttl", "5m") if mark else None
    return PromptBlock(f"{kind}\0{text}", counter.text(text) + OVERHEAD_TOKENS, life, markable)


def _mark_last(blocks: list[PromptBlock], life: str) -> None:
    for i in range(len(blocks) - 1, -1, -1):
        if blocks[i].markable:
            if blocks[i].life is None:
                blocks[i] = replace(blocks[i], life=life)
            return


def _prefix_hashes(model: str, blocks: list[PromptBlock]) -> Iterator[bytes]:
    digest = hashlib.sha256(model.encode()).digest()
    for block in blocks:
        digest = hashlib.sha256(digest + block.content.encode("utf-8", "surrogatepass")).digest()
        yield digest
