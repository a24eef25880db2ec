"""Where a tail may begin: each rule gives a set of indices, and a cut must be in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from novacore.engine.budget import Budget
from novacore.errors import ContractError
from novacore.types import Compaction, CompactRequest, Event, LegalCut, ViewItem

_BEGINS_A_STEP = frozenset(("user", "assistant"))


def legal_cuts(items: Sequence[ViewItem], budget: Budget) -> tuple[LegalCut, ...]:
    """Events that the tail may begin with, oldest (the longest tail) first.

    Cuts leave the tail at least its minima of tokens and messages and at most its cap; the cap
    wins. Where no step fits (one batch over the cap), the nearest one on either side remains.
    """
    tails = _tail_tokens(items)
    whole = _begins_step(items) & _parts_no_pair(items) & _after_smallest_prefix(items, budget)
    whole &= _spares_newest_batch(items)
    latest = _latest_start(items, tails, budget)
    fitting = [i for i in sorted(whole) if i <= latest and tails[i] <= budget.tail_max]
    if not fitting:
        fitting = _nearest(sorted(whole), latest)
    return tuple(LegalCut(event=items[i].event.id, tail_tokens=tails[i]) for i in fitting)


def nearest_cut(cuts: Sequence[LegalCut], room: int) -> LegalCut:
    """The longest tail of at most ``room`` tokens; the shortest of all when none is."""
    fitting = [cut for cut in cuts if cut.tail_tokens <= room]
    if fitting:
        return max(fitting, key=lambda cut: cut.tail_tokens)
    return min(cuts, key=lambda cut: cut.tail_tokens)


def cut_of(proposal: Compaction, request: CompactRequest) -> int:
    """Index in ``request.view`` of the event that the tail of ``proposal`` begins with.

    Where the proposal leaves the cut to the host, it is the legal cut right after its passages.
    Raises ContractError.
    """
    places = {item.event.id: i for i, item in enumerate(request.view)}
    legal = {places[cut.event] for cut in request.legal_cuts}
    if proposal.cut is not None:
        if places.get(proposal.cut) not in legal:
            raise ContractError(f"{proposal.cut[:64]} is no legal cut")
        return places[proposal.cut]
    ends = [places[p.covers.last] for p in proposal.passages if p.covers.last in places]
    after = min((i for i in legal if ends and i > max(ends)), default=None)
    if after is None:
        raise ContractError("no cut is named, and no legal cut follows the passages")
    return after


def calls_of(event: Event) -> tuple[str, ...]:
    """Ids of the tool calls that an assistant event makes, in order."""
    if event.kind != "assistant":
        return ()
    blocks = event.data.get("blocks", ())
    return tuple(str(block["id"]) for block in blocks if block.get("type") == "tool_use")


def _tail_tokens(items: Sequence[ViewItem]) -> list[int]:
    """Tokens from each index to the end."""
    return list(accumulate(item.tokens for item in reversed(items)))[::-1]


def _begins_step(items: Sequence[ViewItem]) -> set[int]:
    return {i for i, item in enumerate(items) if i and item.event.kind in _BEGINS_A_STEP}


def _parts_no_pair(items: Sequence[ViewItem]) -> set[int]:
    """No cut between a call and the last result of its batch; none after a call that still runs."""
    allowed = set(range(len(items)))
    for start, end in _batches(items):
        allowed.difference_update(range(start + 1, end + 1))
    return allowed


def _spares_newest_batch(items: Sequence[ViewItem]) -> set[int]:
    """While its turn lasts, the newest batch of results stays in the tail."""
    batches = _batches(items)
    if not batches or items[batches[-1][0]].event.turn != items[-1].event.turn:
        return set(range(len(items)))
    return set(range(batches[-1][0] + 1))


def _batches(items: Sequence[ViewItem]) -> list[tuple[int, int]]:
    """First and last index of each assistant event with calls and its results, if all are there."""
    ends: dict[int, int] = {}
    open_calls: dict[str, int] = {}
    for index, item in enumerate(items):
        for call in calls_of(item.event):
            open_calls[call] = index
            ends[index] = index
        if item.event.kind == "tool_result":
            start = open_calls.pop(str(item.event.data.get("call_id")), None)
            if start is not None:
                ends[start] = index
    ends.update(dict.fromkeys(open_calls.values(), len(items) - 1))
    return sorted(ends.items())


def _after_smallest_prefix(items: Sequence[ViewItem], budget: Budget) -> set[int]:
    before = accumulate((item.tokens for item in items), initial=0)
    return {i for i, tokens in enumerate(before) if tokens >= budget.smallest_prefix}


def _latest_start(items: Sequence[ViewItem], tails: Sequence[int], budget: Budget) -> int:
    """Walk back until both minima hold; stop before the cap is passed."""
    messages, index = 0, len(items)
    while index > 0:
        held = tails[index] if index < len(items) else 0
        if held >= budget.tail_min and messages >= budget.tail_messages:
            break
        if index < len(items) and tails[index - 1] > budget.tail_max:
            break
        index -= 1
        messages += index + 1 == len(items) or _side(items[index]) != _side(items[index + 1])
    return index


def _side(item: ViewItem) -> bool:
    """Events of one side in a row share a message."""
    return item.event.kind == "assistant"


def _nearest(whole: Sequence[int], latest: int) -> list[int]:
    """The steps around the place where the tail should begin, when none fits."""
    before = [i for i in whole if i <= latest][-1:]
    return before or [i for i in whole if i > latest][:1]
