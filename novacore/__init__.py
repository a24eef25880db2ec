"""NovaCore: a context engine for coding agents, made of swappable plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import override

    from novacore.hookspecs import API_VERSION, Hooks

__version__ = "0.1.0"
__all__ = ["API_VERSION", "Hooks", "__version__", "override"]


def __getattr__(name: str) -> object:
    # Late, so that `novacore --version` costs no more than a bare Python start.
    if name in ("API_VERSION", "Hooks"):
        from novacore import hookspecs

        return getattr(hookspecs, name)
    if name == "override":
        from typing_extensions import override

        return override
    raise AttributeError(f"module 'novacore' has no attribute {name!r}")
