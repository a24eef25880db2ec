"""Ids of derived items: the same event gives the same id, whoever folds it and how often."""

from __future__ import annotations

from uuid import UUID, uuid5

_SPACE = UUID("6f1d8d0e-6f2b-5c5e-9b1e-0a4f6d1c2b3a")


def derived_id(prefix: str, *parts: object) -> str:
    """``prefix-`` and twelve hex digits of the uuid5 of ``parts``."""
    return f"{prefix}-{uuid5(_SPACE, chr(0).join(map(_clean, parts))).hex[:12]}"


def _clean(part: object) -> str:
    # A lone surrogate cannot be hashed; two texts that differ only in one may share an id.
    return str(part).encode("utf-8", "replace").decode()
