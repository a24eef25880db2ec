"""``docs/reference/configuration.md`` says what the settings say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from novacore.config.keys import all_keys
from novacore.config.layers import RESERVED, SHELL

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "configuration.md").read_text()
MERGES = {"replace": "", "add": ", adds", "lower": ", lowers"}


def row(key):
    default = "none" if key.default is None else json.dumps(key.default)
    scope = f"{key.scope.who}{MERGES[key.scope.merge]}"
    return f"| `{key.name}` | `{default}` | {scope} | {key.meaning} |"


@pytest.mark.parametrize("key", list(all_keys().values()), ids=lambda key: key.name)
def test_every_setting_has_its_row(key):
    assert row(key) in PAGE


def test_no_row_is_left_of_a_setting_that_is_gone():
    rows = [line for line in PAGE.splitlines() if line.startswith("| `") and line.count("|") == 5]
    assert len(rows) == len(all_keys())


@pytest.mark.parametrize("name", sorted(RESERVED | set(SHELL)))
def test_every_variable_is_named(name):
    assert name in PAGE
