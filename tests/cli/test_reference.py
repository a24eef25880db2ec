"""``docs/reference/cli.md`` names every command and every option."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.main import get_command

from novacore.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text()


def commands(command, path=()):
    inner = getattr(command, "commands", {})
    for name, child in inner.items():
        yield from commands(child, (*path, name))
    if not inner:
        yield " ".join(("novacore", *path)), command


@pytest.mark.parametrize(("name", "command"), list(commands(get_command(app))))
def test_a_command_and_its_options_are_documented(name, command):
    lines = "\n".join(line for line in PAGE.splitlines() if f"`{name}" in line)
    assert lines
    for parameter in command.params:
        if parameter.param_type_name == "option" and parameter.name != "help":
            assert parameter.opts[0] in lines, (name, parameter.opts)


def test_every_exit_code_is_documented():
    assert "0 ok, 1 failed, 2 usage or configuration, 3 stopped" in PAGE
    assert "130 interrupted" in PAGE
