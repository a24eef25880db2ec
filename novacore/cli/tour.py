"""``ask --tour``: after the answer, what happened, what the model saw, and where to go next."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from novacore.cli import window_view
from novacore.cli.output import console
from novacore.cli.steps import Step
from novacore.cli.window_words import Manifest

_TONES = {"ok": "", "bad": "red", "warn": "yellow"}


def show(manifest: Manifest, steps: Sequence[Step]) -> None:
    """Print the tour on stdout."""
    from rich.text import Text

    out = console()
    out.rule(style="dim")
    out.print(Text(f"The steps ({len(steps)})", style="bold"))
    for number, step in enumerate(steps, 1):
        line = Text(f"{number:3}. {step.line}", style=_TONES[step.tone])
        out.print(line, no_wrap=True, overflow="ellipsis")
    out.print(Text("\nThe window: what was sent with the last request", style="bold"))
    out.print(Text(window_view.fill_words(manifest), style="dim"))
    out.print(window_view.bar(manifest, out.width))
    out.print(window_view.legend(manifest))
    out.print(Text("\nNext", style="bold"))
    for words, command in _next_steps(str(manifest.get("provider", ""))):
        out.print(Text(f"  {words}"))
        if command:
            out.print(Text(f"      {command}", style="cyan"), soft_wrap=True)


def _next_steps(provider: str) -> list[tuple[str, str]]:
    program = program_name()
    key = (
        "Use a language model. The navigator only finds and quotes; it writes no code:",
        f'export ANTHROPIC_API_KEY=...  &&  {program} ask "..."',
    )
    return [
        (
            "See every token of that window explained, in a browser:",
            f"{program} context --html w.html",
        ),
        (
            "Ask about your own repository:",
            f'cd your/repository  &&  {program} ask "Where is ...?"',
        ),
        *([key] if provider == "navigator" else []),
        ("See what can be swapped, and what is set up:", f"{program} plugins  ;  {program} doctor"),
        ("VS Code, other LSP editors and JupyterLab come with later releases.", ""),
    ]


def program_name() -> str:
    """What to type to run this program again."""
    called = Path(sys.argv[0])
    found = shutil.which("novacore")
    if called.name == "novacore" and (not found or Path(found).resolve() != called.resolve()):
        return str(called.absolute())
    return "novacore"
