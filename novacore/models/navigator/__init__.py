"""The navigator: answers about code without a model, by planned searches, reads and quotes."""

from novacore.models.navigator.provider import NavigatorProvider

__all__ = ["NavigatorProvider"]
