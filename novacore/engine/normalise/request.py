"""A whole list of messages, made valid for the wire; a valid one comes back as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from novacore.engine.normalise.blocks import ImageLimits, Sound, clean_message
from novacore.engine.normalise.pairs import pair
from novacore.types import Message, Reasoning, Text

FIRST = "(The conversation goes on from earlier context.)"
LAST = "(Go on.)"


def normalise(
    messages: Sequence[Message],
    *,
    reasons: Mapping[str, str] | None = None,
    keep_reasoning: Callable[[Reasoning], bool] = lambda block: False,
    images: ImageLimits | None = None,
    sound: Sound | None = None,
) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """The messages to send, and one line for each repair.

    ``reasons`` says why a call has no result, by call id: one of the words of ``reasons``
    (interrupted, not_started, read_only, sibling_failed, user_stopped) or a sentence. Idempotent.
    ``sound`` holds the blocks of earlier requests that needed no repair, and is added to: a caller
    who keeps it has only new blocks checked. It goes with one model and one role for each block.
    """
    repairs: list[str] = []
    limits = images or ImageLimits()
    known: Sound = {} if sound is None else sound
    cleaned = [clean_message(m, limits, keep_reasoning, repairs.append, known) for m in messages]
    merged = _merged([message for message in cleaned if message is not None])
    # Moving results can empty a message, and then two answers are neighbours.
    paired = _merged(pair(merged, reasons or {}, repairs.append))
    return tuple(_bounded(paired, repairs.append)), tuple(repairs)


def _merged(messages: Sequence[Message]) -> list[Message]:
    made: list[Message] = []
    for message in messages:
        if made and made[-1].role == message.role:
            made[-1] = replace(made[-1], blocks=(*made[-1].blocks, *message.blocks))
        else:
            made.append(message)
    return made


def _bounded(messages: list[Message], note: Callable[[str], None]) -> list[Message]:
    if not messages or messages[0].role != "user":
        note("the first message was not the user's; one was put before it")
        messages = [Message(role="user", blocks=(Text(text=FIRST),)), *messages]
    if messages[-1].role != "user":
        note("the last message was not the user's; one was put after it")
        messages = [*messages, Message(role="user", blocks=(Text(text=LAST),))]
    return messages
