"""A model's own counts: an estimate times a ratio that is learned from real usage."""

from __future__ import annotations

import math
from collections.abc import Callable

from novacore.tokens.classes import estimate
from novacore.tokens.ratios import starting_ratio

LEAST_SAMPLE = 200
LEARNING_TOKENS = 5_000
LOWEST, HIGHEST = 0.5, 4.0


class TokenCounter:
    """Counts for one model. ``base`` is the unscaled count: by class, or by a vocabulary.

    ``name`` (``base_name``) says which it is. ``ratio`` None starts at the model's usual ratio.
    """

    def __init__(
        self,
        model: str,
        ratio: float | None = None,
        *,
        base: Callable[[str], int] = estimate,
        name: str = "class estimate",
    ) -> None:
        self.model = model
        self.ratio = starting_ratio(model) if ratio is None else ratio
        self.base = base
        self.base_name = name
        self._samples = 0

    @property
    def method(self) -> str:
        """How the counts are made, for the manifest."""
        learned = f"learned from {self._samples}" if self._samples else "start"
        return f"{self.base_name} x {self.ratio:.2f} ({learned})"

    def count(self, text: str) -> int:
        """Tokens of ``text`` for this model, rounded up."""
        return self.scale(self.base(text))

    def scale(self, estimated: int) -> int:
        """Tokens for this model of a text that ``base`` counts as ``estimated``."""
        return math.ceil(estimated * self.ratio)

    def used(self, anchor: int, *added: str) -> int:
        """Tokens in use: the last real usage plus the count of what was added since."""
        return anchor + sum(map(self.count, added))

    def learn(self, estimated: int, actual: int) -> None:
        """Take in that ``estimated`` tokens (unscaled, as ``base`` counts) were ``actual`` ones.

        Larger samples weigh more; samples under 200 tokens are too noisy and are left out.
        """
        if estimated < LEAST_SAMPLE or actual <= 0:
            return
        seen = min(HIGHEST, max(LOWEST, actual / estimated))
        weight = estimated / (estimated + LEARNING_TOKENS)
        self.ratio += weight * (seen - self.ratio)
        self._samples += 1
