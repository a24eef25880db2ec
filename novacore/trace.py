"""The trace: one row for each thing that was decided for a session, kept beside its log."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class Trace:
    """Rows ``{ts, kind, ...}``, written to ``trace.jsonl`` and handed to the next manifest.

    A trace explains; nothing is rebuilt from it. A disk that refuses costs the file, not the turn.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._fresh: list[Row] = []

    def add(self, kind: str, **data: Any) -> None:
        """Record a row. ``data`` must be JSON."""
        row: Row = {"ts": round(time.time(), 3), "kind": kind, **data}
        self._fresh.append(row)

    def take(self) -> list[Row]:
        """The rows since the last call; they are written to the file now."""
        rows, self._fresh = self._fresh, []
        if rows and self._path is not None:
            text = "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows)
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
                with os.fdopen(os.open(self._path, flags, 0o600), "wb") as file:
                    file.write(text.encode("ascii"))
            except OSError as error:
                self._path = None
                rows.append({"ts": rows[-1]["ts"], "kind": "trace_lost", "reason": str(error)})
        return rows
