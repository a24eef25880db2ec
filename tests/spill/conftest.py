from __future__ import annotations

import pytest

from novacore.store.artifacts import ArtifactStore


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "tool-results")
