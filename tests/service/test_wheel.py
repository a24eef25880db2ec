"""The wheel: what is in it, and that it works outside the repository, offline, without a key."""

from __future__ import annotations

import configparser
import os
import re
import site
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from service.project_kit import make_project

pytestmark = pytest.mark.xdist_group("wheel")

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "novacore": ROOT / "novacore",
    "novacore_plugins": ROOT / "plugins" / "novacore_plugins",
    "novacore_lsp": ROOT / "lsp" / "novacore_lsp",
    "novacore_jupyter": ROOT / "jupyter_ext" / "novacore_jupyter",
}
COPYLEFT = re.compile(r"\b(?:A|L)?GPL|GNU (?:Affero|Lesser|General)", re.IGNORECASE)

# Only the wheel and the libraries are importable: no .pth file brings the checkout back. Nothing
# can be reached but this machine.
START = """
import socket, sys
def refuse(*_):
    raise OSError("there is no network here")
socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse
sys.path[:0] = [{wheel!r}]
sys.path.append({libraries!r})
from novacore.cli import main
code = main(sys.argv[1:])
ours = [m for n, m in list(sys.modules.items()) if n.partition(".")[0] in {packages!r}]
strays = [m.__file__ for m in ours if not (m.__file__ or "").startswith({wheel!r})]
sys.exit(f"not from the wheel: {{strays}}" if strays else code)
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The wheel of this checkout, built once."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = out.iterdir()
    return wheel


@pytest.fixture(scope="module")
def unpacked(archive, tmp_path_factory):
    """Its contents, as an installer puts them into a folder of libraries."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(archive) as wheel:
        wheel.extractall(folder)
    return folder


@pytest.fixture
def installed(unpacked, tmp_path):
    """Runs the command line of the wheel in a project of its own."""
    project = make_project(tmp_path / "project")
    code = START.format(
        wheel=str(unpacked), libraries=site.getsitepackages()[0], packages=set(PACKAGES)
    )

    def run(*words):
        return subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, *words],
            cwd=project,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def test_only_the_four_packages_are_importable(unpacked):
    tops = {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == set(PACKAGES)


@pytest.mark.parametrize("name", PACKAGES)
def test_each_package_is_whole_and_nothing_is_added(unpacked, name):
    def files(folder):
        found = (path for path in folder.rglob("*") if path.is_file())
        return {p.relative_to(folder) for p in found if "__pycache__" not in p.parts}

    assert files(unpacked / name) == files(PACKAGES[name])


def test_data_files_are_there(unpacked):
    for name in (
        "novacore/cli/page.css",
        "novacore/models/prices.toml",
        "novacore/models/navigator/vocabulary.toml",
        *(f"{package}/py.typed" for package in PACKAGES),
    ):
        assert (unpacked / name).is_file(), name


def test_it_knows_no_place_of_the_machine_that_built_it(unpacked):
    places = [str(ROOT).encode(), str(ROOT.parent / "shared").encode(), str(Path.home()).encode()]
    for path in unpacked.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not [place for place in places if place in data], path


def test_its_metadata(unpacked):
    (info,) = unpacked.glob("*.dist-info")
    told = (info / "METADATA").read_text()
    assert "\nName: novacore-agent\n" in told
    assert "\nLicense-Expression: Apache-2.0\n" in told
    assert "Apache License" in (info / "licenses" / "LICENSE").read_text()
    points = configparser.ConfigParser()
    points.read(info / "entry_points.txt")
    assert dict(points["console_scripts"]) == {"novacore": "novacore.cli:main"}
    for target in points["novacore.plugins.v1"].values():
        module, _, name = target.partition(":")
        source = unpacked.joinpath(*module.split(".")).with_suffix(".py").read_text()
        assert f"class {name}(" in source


def needed(name, seen=None):
    """Every distribution that installing ``name`` brings along."""
    from packaging.requirements import Requirement

    seen = {} if seen is None else seen
    key = name.lower().replace("_", "-")
    if key in seen:
        return seen
    seen[key] = distribution = metadata.distribution(name)
    for line in distribution.requires or ():
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            needed(wanted.name, seen)
    return seen


def test_no_library_is_under_a_copyleft_licence_that_would_bind_users():
    found = needed("novacore-agent")
    assert len(found) > 30
    for name, distribution in found.items():
        about = distribution.metadata
        said = [about.get("License-Expression") or about.get("License") or ""]
        said += [c for c in about.get_all("Classifier") or [] if c.startswith("License ::")]
        assert any(said), f"{name} names no licence"
        assert not COPYLEFT.search(" ".join(said)[:2_000]), name


def test_doctor_finds_everything(installed):
    done = installed("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("spill_logs", "spill_files", "compact_state", "recall_lexical", "tools_default"):
        assert re.search(rf"ok +{name} +active", done.stdout)


def test_the_navigator_answers_with_a_citation(installed):
    done = installed("ask", "Where is gross?", "--tour")
    assert done.returncode == 0, done.stderr
    assert "calc.py:9-11" in done.stdout
    assert "The window" in done.stdout


def test_the_page_needs_its_style_sheet(installed, tmp_path):
    assert installed("ask", "Where is gross?").returncode == 0
    done = installed("context", "--html", str(tmp_path / "page.html"))
    assert done.returncode == 0, done.stderr
    assert "prefers-color-scheme: dark" in (tmp_path / "page.html").read_text()
