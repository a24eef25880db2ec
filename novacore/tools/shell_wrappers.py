"""Commands that run other commands: what they run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from novacore.tools.shell import Parsed, SimpleCommand, parse

SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "fish", "ash"}
MAX_DEPTH = 5
_TAKES_SCRIPT = {"su", "runuser", "script"}
"""With ``-c``, as a shell does."""

_TAKES_VALUE = {
    "env": {"-u", "--unset", "-C", "--chdir", "-S", "--split-string"},
    "nice": {"-n", "--adjustment"},
    "ionice": {"-c", "-n", "-p"},
    "timeout": {"-s", "--signal", "-k", "--kill-after"},
    "xargs": {"-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a", "--arg-file", "--max-args"},
    "sudo": {"-u", "-g", "-h", "-p", "-C", "-T", "-R", "-D", "--user", "--group"},
    "doas": {"-u", "-C"},
    "stdbuf": {"-i", "-o", "-e"},
    "exec": {"-a"},
    "time": {"-f", "-o", "--format", "--output"},
    "setsid": set(), "nohup": set(), "command": set(), "builtin": set(), "coproc": set(),
    "chroot": {"--userspec", "--groups"}, "watch": {"-n", "--interval"},
    "strace": {"-e", "-o", "-p"},
    "busybox": set(), "unshare": set(), "parallel": {"-j"}, "flock": {"-w"},
}  # fmt: skip
_OPERANDS = {"timeout": 1, "chroot": 1, "flock": 1}
_TAKES_AWAY = re.compile(r"-u.*|--unset.*|-i|--ignore-environment")
"""Options of env that only take away; what the others do may change which program runs."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_FIND_EXEC = {"-exec", "-execdir", "-ok", "-okdir"}


def everything(command: str) -> Parsed:
    """``parse`` with what wrappers run (``env``, ``sudo``, ``xargs``, ``sh -c``) added."""
    outer = parse(command)
    problem, found = outer.problem, list(outer.commands)
    redirects = list(outer.redirects)
    for simple in outer.commands:
        for inner in _inside(simple, 0):
            found += inner.commands
            redirects += inner.redirects
            problem = problem or inner.problem
    return Parsed(commands=tuple(found), redirects=tuple(redirects), problem=problem)


def _inside(simple: SimpleCommand, depth: int) -> Iterator[Parsed]:
    if depth > MAX_DEPTH:
        yield Parsed(commands=(), problem="its commands run commands more than five deep")
        return
    for inner in _direct(simple):
        yield inner
        for command in inner.commands:
            yield from _inside(command, depth + 1)


def _direct(simple: SimpleCommand) -> Iterator[Parsed]:
    name, rest = simple.name, simple.argv[1:]
    if name in SHELLS or name in _TAKES_SCRIPT or name == "eval":
        yield from _script(name, rest)
    elif name == "trap" and len(rest) > 1:
        yield from _script("eval", rest[:1])
    elif name == "find":
        for place, argument in enumerate(rest):
            if argument in _FIND_EXEC:
                yield _one(simple, rest[place + 1 :])
    elif name in _TAKES_VALUE:
        yield from _wrapped(simple, name, rest)


def _script(name: str, rest: tuple[str | None, ...]) -> Iterator[Parsed]:
    if name == "eval":
        script = None if None in rest else " ".join(word or "" for word in rest)
    else:
        place = next(
            (n for n, w in enumerate(rest) if w and re.fullmatch(r"-[a-z]*c[a-z]*", w)), None
        )
        if place is None:
            return
        script = rest[place + 1] if place + 1 < len(rest) else None
    if script is None:
        yield Parsed(commands=(), problem=f"{name} runs text that is only known at run time")
    else:
        yield parse(script)


def _wrapped(simple: SimpleCommand, name: str, rest: tuple[str | None, ...]) -> Iterator[Parsed]:
    place, operands, assigns = 0, _OPERANDS.get(name, 0), False
    while place < len(rest):
        argument = rest[place]
        if argument is not None and argument.startswith("-") and argument != "-":
            if name == "env" and argument.startswith(("-S", "--split-string")):
                yield Parsed(commands=(), problem="env -S splits a text into words")
            assigns = assigns or (name == "env" and not _TAKES_AWAY.fullmatch(argument))
            place += 2 if argument in _TAKES_VALUE[name] else 1
        elif argument is not None and name in ("env", "sudo") and _ASSIGNMENT.match(argument):
            assigns = True
            place += 1
        elif operands:
            operands -= 1
            place += 1
        else:
            break
    if rest[place:]:
        yield _one(simple, rest[place:], assigns=assigns)


def _one(simple: SimpleCommand, argv: tuple[str | None, ...], *, assigns: bool = False) -> Parsed:
    text = " ".join("?" if word is None else word for word in argv)
    inner = SimpleCommand(argv=argv, text=text, assigns=assigns, piped=simple.piped)
    return Parsed(commands=(inner,))
