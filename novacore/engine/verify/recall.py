"""What recalled items must keep."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from novacore.errors import ContractError
from novacore.types import Recalled, RecallRequest

_STRINGS = ("key", "text", "uri", "version", "time")


def verify_recall(answer: Any, request: RecallRequest, count: Callable[[str], int]) -> None:
    """A sequence of at most ``limit`` ``Recalled``, each a citable text that could fit.

    Raises ContractError. The sum over ``max_tokens`` is no breach: the host takes the best.
    """
    if not isinstance(answer, list | tuple):
        raise ContractError(f"recall gives a sequence of Recalled, not a {type(answer).__name__}")
    if len(answer) > request.limit:
        raise ContractError(f"{len(answer)} items; at most {request.limit} were asked for")
    for item in answer:
        _verify_item(item, request.max_tokens, count)
    keys = [item.key for item in answer]
    if len(set(keys)) < len(keys):
        raise ContractError("two items have the same key")


def _verify_item(item: Any, most: int, count: Callable[[str], int]) -> None:
    if type(item) is not Recalled:
        raise ContractError(f"an item is a {type(item).__name__}, not a Recalled")
    for name in _STRINGS:
        if type(getattr(item, name)) is not str:
            raise ContractError(f"`{name}` of an item is not a string")
    if not (item.key and item.uri and item.text.strip()):
        raise ContractError("an item lacks its key, uri or text")
    if type(item.score) not in (int, float) or not math.isfinite(item.score):
        raise ContractError(f"the score of item {item.key[:80]} is not a finite number")
    if (tokens := count(item.text)) > most:
        raise ContractError(
            f"item {item.key[:80]} has {tokens:,} tokens; all items together may have {most:,}"
        )
