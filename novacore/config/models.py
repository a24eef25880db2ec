"""Which provider and model a name stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from novacore.config.load import api_key
from novacore.config.settings import Settings
from novacore.errors import ConfigError

PROVIDERS = ("anthropic", "navigator")
_MAX_ALIASES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A provider's name, the model's name there, and the words that were resolved to it."""

    provider: str
    model: str
    asked: str


def choose_model(
    settings: Settings, asked: str = "", environ: Mapping[str, str] | None = None
) -> ModelChoice:
    """Resolve ``asked``, or the configured model, through ``auto`` and the aliases.

    A bare name that is no alias is a model of the Anthropic endpoint. Raises ConfigError for an
    unknown provider or a circle of aliases.
    """
    asked = asked or settings.model
    name = asked
    if name == "auto":
        name = settings.models.default if api_key(settings, environ) else "navigator"
    for _ in range(_MAX_ALIASES):
        if name not in settings.models.aliases:
            break
        name = settings.models.aliases[name]
    else:
        raise ConfigError(f"models.aliases: {asked} leads in a circle; give one a provider/model")
    if name == "navigator":
        name = "navigator/navigator"
    provider, slash, model = name.partition("/")
    if not slash:
        provider, model = "anthropic", name
    if provider not in PROVIDERS or not model:
        raise ConfigError(f"no provider for the model {name!r}; known: {', '.join(PROVIDERS)}")
    return ModelChoice(provider=provider, model=model, asked=asked)
