"""A boundary from a verified proposal: a complete value, and nothing is written here."""

from __future__ import annotations

from dataclasses import replace

from novacore.engine.boundary import SCHEMA_VERSION, Boundary, HeadPart, Place, render_head
from novacore.engine.compact.keeping import carried, kept_users
from novacore.engine.compact.trimming import trimmed
from novacore.engine.compact.window import Window
from novacore.engine.state import merge_patch
from novacore.engine.state.ids import derived_id
from novacore.types import Compaction, EventRange, StatePatch


def build(window: Window, proposal: Compaction, cut: int) -> tuple[Boundary, tuple[HeadPart, ...]]:
    """The boundary, with its tokens counted, and the head that it renders to.

    ``cut`` is the index of the item that the tail begins with. Who proposed it is filled in later.
    """
    first, last = window.items[0].event, window.items[cut - 1].event
    tail, newest = window.items[cut].event, window.items[-1].event
    previous = window.previous.id if window.previous else ""
    shares = window.budget.shares
    room = shares["stable"] + shares["task"]
    state = merge_patch(trimmed(window.state, room, window.count), proposal.patch or StatePatch())
    boundary = Boundary(
        id=derived_id("boundary", previous, first.id, last.id, newest.id),
        source=EventRange(first=first.id, last=last.id),
        upto=newest.id,
        tail_start=Place(event=tail.id, offset=tail.offset),
        kept_users=kept_users(replace(window, state=state), cut),
        state=state,
        passages=carried(window, proposal.passages) if proposal.passages else (),
        keep=proposal.keep,
        tokens_before=window.used,
        tokens_after=0,
        trigger=window.trigger,
        plugin="",
        transcript=window.transcript,
        versions={"schema": SCHEMA_VERSION, "model": window.model},
    )
    head = render_head(boundary, window.lookup, output_lines=window.output_lines)
    tail_tokens = sum(item.tokens for item in window.items[cut:])
    after = window.ground + head_tokens(window, head) + tail_tokens
    return replace(boundary, tokens_after=after), head


def head_tokens(window: Window, head: tuple[HeadPart, ...]) -> int:
    """Tokens of the blocks of a head."""
    return sum(window.count(part.text) + 4 for part in head)
