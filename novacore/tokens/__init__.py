"""Token counts: an estimate by class of text, and counters that learn each model's ratio.

``estimate`` alone decides sizes of what is stored (spill, caps), the same on every model;
``TokenCounter`` decides when to compact, from the last real usage plus what was added since.
"""

from __future__ import annotations

from novacore.tokens.classes import estimate
from novacore.tokens.counter import TokenCounter
from novacore.tokens.ratios import starting_ratio
from novacore.tokens.vocabulary import (
    O200K,
    Vocabulary,
    counter_at_hand,
    find_vocabulary,
    install_vocabulary,
    vocabulary_counter,
)

__all__ = [
    "O200K",
    "TokenCounter",
    "Vocabulary",
    "counter_at_hand",
    "estimate",
    "find_vocabulary",
    "install_vocabulary",
    "starting_ratio",
    "vocabulary_counter",
]
