"""Makes the pictures of the documentation from real runs: ``python docs/images/make_images.py``.

A copy of this repository is asked about itself by the embedded navigator, so no key and no network
are needed; ``chromium`` on the PATH takes the pictures. They are PNGs, since the text of an SVG
would be found by whoever searches this repository.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
QUESTION = "Where is Breaker defined, and what does it do?"
TALK = (
    "Where is the path policy, and who uses it?",
    "Always answer with the file and its lines. How does the host stop a plugin that hangs?",
    "Where are secrets masked?",
)
LAST = "How is a stale edit refused?"
RULES = """\
# Working on NovaCore
- Never import pluggy outside `novacore.host` and `novacore.hookspecs`.
- 测试先行：每个修复都要有一个先失败的测试。
- A message to a person is one line that says what to do.
"""
COLUMNS = 104
PAGE = (900, 1000)
_ANSI = [(0, 0, 0), (207, 34, 46), (26, 127, 55), (154, 103, 0), (47, 111, 235), (130, 80, 223)]
_ANSI += [(27, 124, 131), (110, 119, 129)]
_BRIGHT = [(139, 148, 158), (248, 81, 73), (63, 185, 80), (210, 153, 34), (106, 162, 255)]
_BRIGHT += [(188, 140, 255), (57, 197, 207), (240, 246, 252)]
THEMES = {
    "light": TerminalTheme((255, 255, 255), (31, 35, 40), _ANSI, _BRIGHT),
    "dark": TerminalTheme((24, 26, 31), (230, 232, 235), _BRIGHT, _BRIGHT),
}


def main() -> None:
    """Make every picture."""
    with tempfile.TemporaryDirectory() as folder:
        project, page = Path(folder) / "novacore", Path(folder) / "page.html"
        run = Runner(project, Path(folder))
        _copy(project)
        run("trust", "--yes")
        told = run.on_terminal("ask", QUESTION, "--tour")
        run("context", _talk(run), "--html", str(page))
        for name, theme in THEMES.items():
            dark = name == "dark"
            drawn = Path(folder) / f"{name}.svg"
            size = _draw(told, drawn, theme)
            _photograph(drawn, f"tour-{name}.png", size, scale=0.8, dark=dark)
            _photograph(page, f"context-{name}.png", PAGE, scale=1.5, dark=dark)


class Runner:
    """The command line in ``project``, with folders of its own and no key."""

    def __init__(self, project: Path, folder: Path) -> None:
        self._project = project
        names = ("STATE", "CONFIG", "CACHE")
        folders = {f"NOVACORE_{name}_DIR": str(folder / name.lower()) for name in names}
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NOVACORE", "ANTHROPIC"))}
        self._environment = {**kept, **folders, "TERM": "xterm-256color", "COLORTERM": "truecolor"}

    def __call__(self, *words: str) -> str:
        """What the command prints."""
        done = subprocess.run(
            _command(words),
            cwd=self._project,
            env=self._environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def on_terminal(self, *words: str) -> str:
        """The command as typed, and what it prints on a terminal; its progress is left away."""
        ours, theirs = pty.openpty()
        environment = {**self._environment, "COLUMNS": str(COLUMNS)}
        with subprocess.Popen(
            _command(words),
            cwd=self._project,
            env=environment,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
        ) as running:
            os.close(theirs)
            told = b"".join(_chunks(ours))
        if running.returncode:
            raise SystemExit(f"{' '.join(words)} ended with {running.returncode}")
        typed = " ".join(f'"{word}"' if " " in word else word for word in words)
        return f"\x1b[2m$\x1b[0m novacore {typed}\n\n" + told.decode().replace("\r\n", "\n")


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-P", "-m", "novacore", *words]


def _chunks(terminal: int) -> Iterator[bytes]:
    try:
        while data := os.read(terminal, 65536):
            yield data
    except OSError:  # Linux ends a terminal whose writers are gone by EIO
        pass
    finally:
        os.close(terminal)


def _copy(project: Path) -> None:
    listed = [
        "git",
        "ls-files",
        "-zco",
        "--exclude-standard",
        "novacore",
        "plugins",
        "pyproject.toml",
        "ARCHITECTURE.md",
    ]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in (n for n in names.split("\0") if n and (ROOT / n).exists()):
        target = project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    (project / "AGENTS.md").write_text(RULES, encoding="utf-8")


def _talk(run: Runner) -> str:
    first = run("ask", TALK[0], "--json").splitlines()[-1]
    session = str(json.loads(first)["data"]["sessionId"])
    for question in TALK[1:]:
        run("ask", question, "--session", session)
    run("compact", session)
    run("ask", LAST, "--session", session)
    return session


def _draw(told: str, target: Path, theme: TerminalTheme) -> tuple[int, int]:
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(told))
        svg = console.export_svg(title="novacore", theme=theme)
    # Without these the letters would come from the network.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "DejaVu Sans Mono")
    target.write_text(svg, encoding="utf-8")
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
    return round(float(width)), round(float(height))


def _photograph(shown: Path, name: str, size: tuple[int, int], *, scale: float, dark: bool) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("taking the pictures needs chromium: install it, or keep those there are")
    options = (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--default-background-color=00000000",
        f"--force-device-scale-factor={scale}",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        f"--window-size={size[0]},{size[1]}",
        f"--screenshot={HERE / name}",
    )
    command = [chromium, *options, shown.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
