"""What kind of output a command's words announce: a tool's log, or something asked for."""

from __future__ import annotations

import re
import shlex
from typing import Literal

Announced = Literal["log", "listing", "unknown"]

_TOOLS_WORDS = """
pytest py.test tox nox nosetests stestr trial behave robot coverage hypothesis pre-commit make
gmake cmake ctest ninja meson bazel buck2 scons just task rake msbuild xcodebuild npm npx yarn
pnpm bun bunx deno jest vitest mocha ava karma cypress playwright tsc eslint webpack vite rollup
turbo nx lerna gulp grunt mvn mvnw gradle gradlew ant sbt lein bloop cargo rustc clippy-driver
nextest go gotestsum golangci-lint dotnet nuget swift flutter dart gcc g++ clang clang++ cc c++
javac kotlinc scalac ghc cabal stack mix rebar3 zig nvcc pip pip3 pipx poetry pdm hatch conda
mamba apt apt-get yum dnf apk brew composer bundle gem ruff mypy pyright pylint flake8 rubocop
phpunit phpstan rspec minitest pest codecept docker docker-compose podman buildah terraform
ansible-playbook helm packer act
"""
_ASKED_OF_TOOL_WORDS = """
ls list show info config metadata help --help -h --version version doc env tree search view
explain why freeze ps images inspect logs cat
"""
_LISTINGS_WORDS = """
diff cat bat ls dir tree find fd grep egrep fgrep rg ag ack head tail sed awk less more nl jq yq
cut sort uniq wc comm cmp stat file du df ps env printenv history hexdump xxd od strings column
tac paste curl wget readlink realpath type which
"""
_GIT_LISTINGS_WORDS = """
diff log show status blame grep ls-files ls-tree cat-file branch tag reflog shortlog rev-list
stash describe config
"""
_NEUTRAL_WORDS = """
cd pushd popd export set unset source . echo printf true : sleep tee
"""
_WRAPPERS_WORDS = """
sudo doas env time nice nohup timeout stdbuf xargs exec command unbuffer xvfb-run winpty uv rye
poetry pdm hatch pipenv conda run exec coverage bundle
"""
_TOOLS = frozenset(_TOOLS_WORDS.split())
_ASKED_OF_TOOL = frozenset(_ASKED_OF_TOOL_WORDS.split())
_LISTINGS = frozenset(_LISTINGS_WORDS.split())
_GIT_LISTINGS = frozenset(_GIT_LISTINGS_WORDS.split())
_NEUTRAL = frozenset(_NEUTRAL_WORDS.split())
_WRAPPERS = frozenset(_WRAPPERS_WORDS.split())
_INTERPRETERS = re.compile(r"(?:python|pypy|py)[\d.]*(?:\.exe)?$")
_TEST_SCRIPT = re.compile(r"(?:^|[/\\])(?:run_?tests?|manage|setup|test)(?:\.\w+)?$")
_PARTS = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|[<>]&\d?|&>|[^;&|\n])+""")


def announced(command: str) -> Announced:
    """What the words of a shell command announce; any known tool makes its output a log.

    The table of tools is that of build, test, lint and packaging programs in common use.
    """
    kinds = [_kind(_words(part)) for part in _PARTS.findall(command[:4000])]
    if "log" in kinds:
        return "log"
    said = [kind for kind in kinds if kind != "neutral"]
    return "listing" if said and all(kind == "listing" for kind in said) else "unknown"


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part.replace("\\", "/"))
    except ValueError:
        return part.split()


def _kind(words: list[str]) -> Literal["log", "listing", "neutral", "unknown"]:
    words = _unwrapped(words)
    if not words:
        return "neutral"
    name, rest = _program(words[0]), words[1:]
    if name in _NEUTRAL:
        return "neutral"
    if name in ("bash", "sh", "zsh") and len(rest) > 1 and re.match(r"-\w*c$", rest[0]):
        return announced(rest[1])
    if _INTERPRETERS.match(name):
        return _module(rest)
    if name == "git":
        return "listing" if _GIT_LISTINGS.intersection(rest[:5]) else "unknown"
    if name in _TOOLS:
        return "listing" if rest and rest[0] in _ASKED_OF_TOOL else "log"
    return "listing" if name in _LISTINGS else "unknown"


def _module(rest: list[str]) -> Literal["log", "unknown"]:
    if "-m" in rest:
        module = rest[rest.index("-m") + 1 :][:1]
        return "log" if module and module[0] in _TOOLS | {"unittest", "build"} else "unknown"
    script = next((word for word in rest if not word.startswith("-")), "")
    return "log" if _TEST_SCRIPT.search(script) else "unknown"


def _unwrapped(words: list[str]) -> list[str]:
    """Without `FOO=1`, `sudo`, `uv run` and the like, and their options and durations."""
    while len(words) > 1:
        first = words[0]
        skipped = "=" in first or first.startswith("-") or first.rstrip("smhd").isdecimal()
        wraps = _program(first) in _WRAPPERS and _runs(words)
        if not skipped and not wraps:
            break
        words = words[1:]
    return [] if words and "=" in words[0] else words


def _runs(words: list[str]) -> bool:
    # `uv run pytest` wraps; `poetry install` and `uv pip install` are the tool itself.
    managers = {"uv", "rye", "poetry", "pdm", "hatch", "pipenv", "conda", "coverage", "bundle"}
    return _program(words[0]) not in managers or words[1] in ("run", "exec")


def _program(word: str) -> str:
    return word.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe").removesuffix(".cmd")
