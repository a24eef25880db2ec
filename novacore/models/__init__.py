"""Model providers; the only place that imports an SDK."""

from __future__ import annotations

from collections.abc import Mapping

from novacore import errors
from novacore.types import ModelProvider


def provider(
    name: str,
    *,
    base_url: str = "",
    api_key: str = "",
    headers: Mapping[str, str] | None = None,
    timeout: float = 600.0,
    windows: Mapping[str, int] | None = None,
) -> ModelProvider:
    """The provider ``anthropic`` or ``navigator``, importing only what it needs.

    ``timeout`` is seconds without an answer; ``windows`` are tokens by model, from the user's
    configuration. Nothing is read from the environment. Raises ``errors.ConfigError`` for an
    unknown name.
    """
    if name == "anthropic":
        from novacore.models.anthropic import AnthropicProvider

        return AnthropicProvider(
            base_url=base_url, api_key=api_key, headers=headers, timeout=timeout, windows=windows
        )
    if name == "navigator":
        from novacore.models.navigator import NavigatorProvider

        return NavigatorProvider()
    raise errors.ConfigError(f"no provider {name!r}; known: anthropic, navigator")
