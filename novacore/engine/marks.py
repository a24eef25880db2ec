"""Cache marks: four places at most, on blocks that a provider can mark."""

from __future__ import annotations

from collections.abc import Sequence

from novacore.types import Mark, Message, Reasoning, Text

SYSTEM_MARK = Mark()


def place_marks(
    messages: Sequence[Message], *, head_blocks: int, previous: Mark | None
) -> tuple[Mark, ...]:
    """Marks for a request, in its order.

    1 after the system text (it covers the tools), 2 on the last block of the epoch's head, 3 on the
    block that carried the newest mark of the previous request, so that a look-back of 20 blocks is
    never needed, 4 on the last block. ``head_blocks`` counts the blocks of the head.
    """
    places: list[Mark] = []
    if (head := _nth_block(messages, head_blocks)) is not None:
        places.append(head)
    if previous is not None and _exists(messages, previous):
        places.append(previous)
    if (last := newest_place(messages)) is not None:
        places.append(last)
    unique = sorted(set(places), key=lambda mark: (mark.message or 0, mark.block))
    return (SYSTEM_MARK, *unique)


def newest_place(messages: Sequence[Message]) -> Mark | None:
    """The last block of the request that can carry a mark."""
    for index in range(len(messages) - 1, -1, -1):
        for block in range(len(messages[index].blocks) - 1, -1, -1):
            if _markable(messages[index], block):
                return Mark(message=index, block=block)
    return None


def _nth_block(messages: Sequence[Message], count: int) -> Mark | None:
    if not messages or count <= 0 or count > len(messages[0].blocks):
        return None
    return Mark(message=0, block=count - 1) if _markable(messages[0], count - 1) else None


def _exists(messages: Sequence[Message], mark: Mark) -> bool:
    if mark.message is None or mark.message >= len(messages):
        return False
    message = messages[mark.message]
    return mark.block < len(message.blocks) and _markable(message, mark.block)


def _markable(message: Message, block: int) -> bool:
    item = message.blocks[block]
    if isinstance(item, Reasoning):
        return False
    return not isinstance(item, Text) or bool(item.text.strip())
