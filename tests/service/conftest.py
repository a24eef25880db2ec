"""What several modules look at."""

from __future__ import annotations

import pytest

from service.thirty_steps import carried_out


@pytest.fixture(scope="package")
def task(tmp_path_factory):
    """The task of thirty steps, carried out once; the tests look at it from all sides."""
    return carried_out(tmp_path_factory.mktemp("thirty"))
