"""The languages whose symbols can be read. A further language is one more table in this list."""

from __future__ import annotations

from pathlib import PurePosixPath

from novacore.code.languages import javascript, python, typescript
from novacore.code.languages.table import Table

TABLES: tuple[Table, ...] = (python.TABLE, javascript.TABLE, typescript.TABLE, typescript.TSX)
_BY_EXTENSION = {extension: table for table in TABLES for extension in table.extensions}


def table_for(path: str) -> Table | None:
    """The table for a file, by the extension of its name."""
    return _BY_EXTENSION.get(PurePosixPath(path).suffix.lower())
