"""The application service: the only part of the core that front ends import."""

from __future__ import annotations

from novacore.service.service import Service

__all__ = ["Service"]
