"""The plugin of ``docs/how-to/write-a-plugin.md``: built from the page, installed, asked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest

from docs.pages import DOCS, fenced
from service.project_kit import novacore, user_config

PAGE = DOCS / "how-to" / "write-a-plugin.md"
QUESTION = "What does the settlement do?"


@pytest.fixture
def project(tmp_path):
    """The files that the page shows, under the names that it gives them."""
    folder = tmp_path / "novacore-glossary"
    folder.mkdir()
    for info, body in fenced(PAGE):
        if named := re.search(r"title=(\S+)", info):
            (folder / named[1]).write_text(body, encoding="utf-8")
    return folder


@pytest.fixture
def installed(project, tmp_path):
    """What an installer would make of the project: its module, and what its metadata announces."""
    site = tmp_path / "site"
    site.mkdir()
    about = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    name, version = about["name"], about["version"]
    for module in project.glob("novacore_*.py"):
        (site / module.name).write_bytes(module.read_bytes())
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = [
        "\n".join([f"[{group}]", *(f"{key} = {value}" for key, value in points.items())])
        for group, points in about["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups) + "\n")
    return {**os.environ, "PYTHONPATH": str(site)}


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "pay.py").write_text("def settle():\n    return 0\n")
    return folder


def configure(project):
    page = (project / "config.toml").read_text()
    shown = tomllib.loads(page)["plugins"]["options"]["glossary"]["file"]
    user_config(page.replace(shown, (project / "glossary.toml").as_posix()))


def glossary(workspace, environment):
    listed = novacore("plugins", "--json", cwd=workspace, env=environment)
    rows = json.loads(listed.stdout)["data"]["plugins"]
    return next(row for row in rows if row["name"] == "glossary")


def test_the_plugin_is_active_and_its_answer_is_in_the_window(project, installed, workspace):
    configure(project)
    row = glossary(workspace, installed)
    assert (row["state"], row["hooks"]) == ("active", ["recall"])
    assert row["order"] == {"recall": 1}
    asked = novacore("ask", QUESTION, "--model", "navigator", cwd=workspace, env=installed)
    assert asked.returncode == 0, asked.stderr
    assert "recalled glossary:settlement · glossary" in asked.stderr
    told = novacore("context", "--explain", "glossary:settlement", cwd=workspace, env=installed)
    assert "settlement: the nightly job that pays out" in told.stdout
    assert "trust untrusted" in told.stdout


def test_a_missing_setting_is_told_in_the_words_of_the_page(installed, workspace):
    row = glossary(workspace, installed)
    assert row["state"] == "failed"
    assert f"glossary: {row['detail']}" in PAGE.read_text(encoding="utf-8")


def test_the_tests_of_the_page_pass(project):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio"]
    command.append(str(project / "test_glossary.py"))
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_order_and_the_switches_of_the_page_are_settings(project):
    last = next(body for info, body in reversed(fenced(PAGE)) if info == "toml")
    user_config(last)
    shown = novacore("config", "show", "--json", cwd=project)
    values = {row["key"]: row["value"] for row in json.loads(shown.stdout)["data"]["values"]}
    assert values["plugins.required"] == ["glossary"]
    assert values["plugins.order.recall"] == ["glossary"]
