"""What a person should know before a command runs, as far as its text shows it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from novacore.config.folders import expanded
from novacore.tools.paths import Access, PathPolicy
from novacore.tools.shell import Parsed, SimpleCommand
from novacore.tools.shell_wrappers import SHELLS, everything

UNBOUND = "The path policy does not bind what an approved command does."

_NETWORK = {
    "curl", "wget", "nc", "ncat", "netcat", "ssh", "scp", "sftp", "rsync", "ftp", "telnet", "socat",
    "dig", "nslookup", "aws", "gcloud", "az", "gh", "kubectl", "docker", "podman",
}  # fmt: skip
_NETWORK_VERBS = {
    "git": {"push", "fetch", "pull", "clone", "ls-remote", "submodule"},
    "pip": {"install", "download"}, "pip3": {"install", "download"}, "uv": {"add", "sync", "pip"},
    "npm": {"install", "ci", "publish", "i"}, "yarn": {"add", "install"},
    "pnpm": {"add", "install"},
    "cargo": {"install", "publish", "fetch"}, "go": {"get", "install"}, "apt": {"install"},
    "apt-get": {"install", "update"}, "brew": {"install"}, "gem": {"install"},
}  # fmt: skip
_ROOT = {"sudo", "doas", "su", "pkexec"}
_LOSES = {"dd", "mkfs", "shred", "truncate", "wipefs"}
_LOSES_VERBS = {"git": {"clean", "reset", "restore", "checkout", "stash", "filter-branch"}}
_INTERPRETERS = re.compile(r"^(?:python[\d.]*|node|deno|perl|ruby|php|lua)$")
_INLINE = {"-c", "-e", "-E", "-r", "--eval", "-p", "eval"}
_PIECES = re.compile(r"[=:,@]")
_URL = re.compile(r"^(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_NAMES = re.compile(r"[\w./~-]{2,200}")
_MAX_FOLDERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Risks:
    """``paths`` are those that the policy would not let a tool use without asking (real paths).

    ``warnings`` are sentences for the card, the one that always holds last.
    """

    warnings: tuple[str, ...]
    paths: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    """Programs outside the workspace that are named with their folders; a rule may name them."""
    certain: bool = True
    """Every word of it is known before it runs."""


def risks(command: str, policy: PathPolicy, cwd: Path) -> Risks:
    """Look at every part of ``command``, as it would run in ``cwd``."""
    parsed = everything(command)
    folders = list(_folders(parsed, cwd))
    programs = dict(_programs(parsed, policy, folders))
    touched = list(_touched(parsed, policy, folders))
    sentences = [*programs.values(), *(sentence for _, sentence in touched)]
    warnings = [*_uncertain(parsed), *sentences, *_known(parsed)]
    return Risks(
        warnings=tuple(dict.fromkeys([*warnings, UNBOUND])),
        paths=tuple(dict.fromkeys(path for path, _ in touched)),
        programs=tuple(programs),
        certain=not any(_uncertain(parsed)),
    )


def _uncertain(parsed: Parsed) -> Iterator[str]:
    if parsed.problem:
        yield f"The command could not be judged part by part: {parsed.problem}."
    for command in parsed.commands:
        if None in command.argv:
            yield f"Part of it is only known when it runs: {_short(command.text)}"
    if any(redirect.target is None for redirect in parsed.redirects):
        yield "It reads or writes a file whose name is only known when it runs."


def _known(parsed: Parsed) -> Iterator[str]:
    for command in parsed.commands:
        name, verbs = command.name, set(command.argv[1:])
        if name in _ROOT:
            yield f"It runs with other rights: {_short(command.text)}"
        if name in _NETWORK or verbs & _NETWORK_VERBS.get(name, set()):
            yield f"It may use the network: {_short(command.text)}"
        if name in _LOSES or verbs & _LOSES_VERBS.get(name, set()) or _deletes(command):
            yield f"It may destroy what cannot be brought back: {_short(command.text)}"
        if _INTERPRETERS.match(name) and verbs & _INLINE:
            yield f"It runs code that stands in the command: {_short(command.text)}"
        if command.piped and (name in SHELLS or _INTERPRETERS.match(name)):
            yield f"It runs what another command prints: {_short(command.text)}"


def _deletes(command: SimpleCommand) -> bool:
    flags = "".join(word for word in command.argv[1:] if word and re.match(r"-[a-zA-Z]", word))
    forced = command.name == "rm" and any(flag in flags for flag in "rRf")
    return forced or (command.name == "find" and "-delete" in command.argv)


def _programs(parsed: Parsed, policy: PathPolicy, folders: list[Path]) -> Iterator[tuple[str, str]]:
    """(real path, sentence) of every program that lies elsewhere, the system's own aside."""
    for command in parsed.commands:
        program = (command.argv and command.argv[0]) or ""
        if "/" in program and not program.startswith(("/bin/", "/usr/")):
            yield from _judged(policy, folders, program, write=False)


def _touched(parsed: Parsed, policy: PathPolicy, folders: list[Path]) -> Iterator[tuple[str, str]]:
    """(real path, sentence) of every other path that needs asking."""
    for command in parsed.commands:
        for text in _arguments(command.argv):
            yield from _judged(policy, folders, text, write=False)
        for script in command.argv[1:]:
            if script and re.search(r"[\s\"'()]", script):
                yield from _mentioned(policy, folders, script)
    for redirect in parsed.redirects:
        if redirect.target and redirect.target != "/dev/null":
            yield from _redirected(policy, folders, redirect.operator, redirect.target)


def _folders(parsed: Parsed, cwd: Path) -> Iterable[Path]:
    """Where a part of the command may run: every ``cd`` may have been taken, or not."""
    folders = [cwd]
    for command in parsed.commands:
        if command.name in ("cd", "pushd") and len(folders) < _MAX_FOLDERS:
            target = next((word for word in command.argv[1:] if word and word[0] != "-"), "~")
            folders += [folder / expanded(target) for folder in folders]
    return dict.fromkeys(folders)


def _arguments(argv: tuple[str | None, ...]) -> Iterator[str]:
    for text in argv[1:]:
        if not text or _URL.match(text):
            continue
        pieces = {text, *_PIECES.split(text)}
        if text[0] == "-":
            pieces.add(text[2:])
        yield from (piece for piece in sorted(pieces) if piece)


def _judged(
    policy: PathPolicy, folders: Iterable[Path], text: str, *, write: bool
) -> Iterator[tuple[str, str]]:
    for folder in folders:
        access = policy.resolve(str(folder / text), write=write)
        if access.rule == "path form" or not _stands_for_a_path(text, access):
            continue
        if access.verdict == "deny":
            yield str(access.real), f"It names {access.relative}: {access.rule}."
        elif access.verdict == "ask":
            yield str(access.real), f"It reaches {access.real}: {access.rule}."


def _stands_for_a_path(text: str, access: Access) -> bool:
    """``/api/v1`` in a pattern is no path, unless the file system has an ``/api``."""
    if access.verdict != "ask" or not text.startswith("/"):
        return True
    first = Path(text).parts[1:2]
    return bool(first) and text != "/dev/null" and os.path.lexists(f"/{first[0]}")


def _mentioned(policy: PathPolicy, folders: list[Path], script: str) -> Iterator[tuple[str, str]]:
    for name in sorted(set(_NAMES.findall(script[:20_000])))[:500]:
        for real, sentence in _judged(policy, folders, name, write=False):
            if sentence.startswith("It names"):
                yield real, sentence


def _redirected(
    policy: PathPolicy, folders: list[Path], operator: str, target: str
) -> Iterator[tuple[str, str]]:
    if "<" in operator:
        yield from _judged(policy, folders, target, write=False)
        return
    for folder in folders:
        access = policy.resolve(str(folder / target), write=True)
        why = f": {access.rule}" if access.rule else ""
        yield str(access.real), f"It writes to {access.relative}{why}."


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:117]}..."
