"""Frames of a progress line: does the next one tell of the same thing?"""

from __future__ import annotations

import re

_PERCENT = re.compile(r"(\d{1,3})(?:\.\d+)?\s?%")


def replaces_another(before: str, after: str) -> bool:
    """Whether ``after`` is the progress of something else than ``before``, the last of its own.

    Both name what they measure before a percentage; the names differ, and the share fell or the
    earlier one was complete. ``[3%] a.c`` then ``[4%] b.c`` is one progress, and is not kept.
    """
    if "%" not in before:
        return False
    old, new = _PERCENT.search(before), _PERCENT.search(after)
    if old is None or new is None:
        return False
    names = _name(before[: old.start()]), _name(after[: new.start()])
    ended = int(old[1]) >= 100 or int(new[1]) < int(old[1])
    return all(names) and names[0] != names[1] and ended


def _name(text: str) -> str:
    words = "".join(ch if ch.isalnum() else " " for ch in text).split()
    return " ".join(words) if any(ch.isalpha() for ch in text) else ""
