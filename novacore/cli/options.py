"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Cwd = Annotated[Path | None, typer.Option("--cwd", metavar="DIR", help="Work in this folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print {v, kind, data, warnings}.")]
