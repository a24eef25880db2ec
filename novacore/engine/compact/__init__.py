"""Compaction: propose, verify, and give one boundary value; until it is written nothing changed."""

from __future__ import annotations

from novacore.engine.compact.transaction import Refused, compact

__all__ = ["Refused", "compact"]
