"""Very large arguments of tool calls leave the log and the window, once the answer is complete.

The call itself runs with all of it. An answer enters the window with the request after it, so that
nothing that was sent is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from novacore.engine.slots import StoreLike
from novacore.engine.stub import StubOf, spill_data, stub
from novacore.tokens import estimate
from novacore.types import SpillLimits

SMALLEST = 1_500
"""Estimated tokens of an argument from which on it may leave at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """The blocks of an answer for the log, and the data of a ``spill`` event for each argument."""

    blocks: list[dict[str, Any]]
    spills: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One text of one call's input. ``place`` is its path, e.g. ``edits.2.new``."""

    call: str
    tool: str
    place: str
    text: str
    tokens: int


def shorten(
    blocks: list[dict[str, Any]],
    *,
    limits: SpillLimits,
    store: StoreLike,
    mask: Callable[[str], str],
    offered: Collection[str],
    key: bytes,
) -> Shortened:
    """Put a stub in the place of every argument over the limits of one result.

    Where all of them together are over those of a message, the largest leave first.
    """
    leaves = [leaf for block in blocks for leaf in _leaves(block)]
    gone = _leaving(leaves, limits)
    if not gone:
        return Shortened(blocks=blocks)
    stubs: dict[tuple[str, str], str] = {}
    spills = []
    for leaf in gone:
        text = mask(leaf.text)
        artifact = store.put(f"{leaf.call}-{leaf.place}", text, tokens=leaf.tokens)
        of = StubOf(
            text=text,
            artifact=artifact,
            fragment=f"{leaf.call}#{leaf.place}",
            what=f"the argument {leaf.place}, which {leaf.tool} was given whole,",
            offered=offered,
        )
        stubs[leaf.call, leaf.place] = stub(of, key=key, excerpt_chars=limits.excerpt_chars)
        spills.append({"output_id": of.fragment, **spill_data(artifact, tokens=leaf.tokens)})
    return Shortened(blocks=[_with(block, stubs) for block in blocks], spills=tuple(spills))


def _leaves(block: Mapping[str, Any]) -> Iterator[_Leaf]:
    if block.get("type") == "tool_use":
        for place, text in _texts(block.get("input"), ""):
            yield _Leaf(str(block["id"]), str(block["name"]), place, text, estimate(text))


def _texts(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{place}.{index}".lstrip("."))


def _leaving(leaves: list[_Leaf], limits: SpillLimits) -> list[_Leaf]:
    gone = [
        leaf
        for leaf in leaves
        if len(leaf.text) > limits.result_chars or leaf.tokens > limits.result_tokens
    ]
    rest = [leaf for leaf in leaves if leaf not in gone]
    for leaf in sorted(rest, key=lambda leaf: -leaf.tokens):
        chars, tokens = sum(len(leaf.text) for leaf in rest), sum(leaf.tokens for leaf in rest)
        if (chars <= limits.message_chars and tokens <= limits.message_tokens) or (
            leaf.tokens < SMALLEST
        ):
            break
        gone.append(leaf)
        rest.remove(leaf)
    return gone


def _with(block: dict[str, Any], stubs: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    call = str(block.get("id", ""))
    if block.get("type") != "tool_use" or not any(id == call for id, _ in stubs):
        return block
    return {**block, "input": _replaced(block["input"], "", call, stubs)}


def _replaced(value: Any, place: str, call: str, stubs: Mapping[tuple[str, str], str]) -> Any:
    if isinstance(value, str):
        return stubs.get((call, place), value)
    if isinstance(value, Mapping):
        return {
            name: _replaced(inner, f"{place}.{name}".lstrip("."), call, stubs)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [
            _replaced(inner, f"{place}.{index}".lstrip("."), call, stubs)
            for index, inner in enumerate(value)
        ]
    return value
