"""The part of a terminal that decides which characters are still there at the end."""

from __future__ import annotations

from novacore.engine.progress_lines import replaces_another

_WINDOW = 200
"""Rows that a cursor can go back to; real terminals are smaller."""
_GAP = 80
"""Columns that a jump to the right may leave blank."""
_FRAME = 400
"""Longest frame, in columns, that is looked at as progress."""


class Screen:
    """Rows of characters and a cursor. Rows above the window are final, so memory stays small."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._rows: list[list[str]] = [[]]
        self._row = 0
        self._column = 0
        self._frame = ""
        self._written = 0

    def write(self, text: str) -> None:
        """Put text at the cursor, over what stands there."""
        row, column = self._rows[self._row], self._column
        if column > len(row):
            row.extend(" " * min(column - len(row), _GAP))
            column = len(row)
        row[column : column + len(text)] = text
        self._column = column + len(text)
        self._written = max(self._written, self._column)

    def newline(self) -> None:
        """Go to the start of the next row."""
        self._leave_row()
        self._column = 0
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append([])
        if len(self._rows) > 2 * _WINDOW:
            surplus = min(self._row, len(self._rows) - _WINDOW)
            self._done += map(_final, self._rows[:surplus])
            del self._rows[:surplus]
            self._row -= surplus

    def carriage_return(self) -> None:
        """Go to the start of the row."""
        self._end_frame()
        self._column = 0

    def left(self, count: int) -> None:
        """Go left; nothing is erased."""
        self._column = max(0, self._column - count)

    def control(self, sequence: str) -> None:
        """Carry out a CSI sequence, without its introducer; those that dress text do nothing."""
        final, parameters = sequence[-1], sequence[:-1]
        number = int(parameters) if parameters.isdecimal() and len(parameters) < 5 else 0
        if final == "K":
            self._erase_line(number)
        elif final == "J":
            self._erase_below(number)
        elif final == "D":
            self.left(number or 1)
        elif final == "C":
            self._column += number or 1
        elif final == "G":
            self._column = max(0, number - 1)
        elif final in "ABEF":
            rows = number or 1
            self._jump(-rows if final in "AF" else rows, home=final in "EF")
        elif final in "Hf" and self._rows[self._row]:
            # A full-screen program: keep every text on a row of its own rather than overlay them.
            self._row = len(self._rows) - 1
            self.newline()

    def text(self) -> str:
        """All rows, joined by line feeds."""
        self._leave_row()
        return "\n".join([*self._done, *map(_final, self._rows)])

    def _jump(self, rows: int, *, home: bool) -> None:
        self._leave_row()
        self._row = min(max(0, self._row + rows), len(self._rows) - 1)
        if home:
            self._column = 0

    def _erase_line(self, mode: int) -> None:
        row = self._rows[self._row]
        if mode == 2 or (mode == 0 and self._column == 0):
            self._end_frame()
            row.clear()
        elif mode == 0:
            del row[self._column :]
        elif mode == 1 and self._column < _FRAME:
            upto = min(self._column + 1, len(row))
            row[:upto] = " " * upto

    def _erase_below(self, mode: int) -> None:
        # 2 and 3 clear what was scrolled through: it was output, and it stays.
        if mode == 0:
            self._erase_line(0)
            del self._rows[self._row + 1 :]

    def _end_frame(self) -> None:
        """Keep the frame before this one as a row, if this one tells of something else."""
        row, written = self._rows[self._row], self._written
        self._written = 0
        if not row or len(row) > _FRAME:
            return
        frame = "".join(row)
        if self._frame and replaces_another(self._frame, frame):
            self._rows.insert(self._row, list(self._frame.rstrip()))
            self._row += 1
            # What is left of the other's frame behind this one belongs to neither.
            del row[written:]
        if frame.strip():
            self._frame = frame

    def _leave_row(self) -> None:
        if self._frame:
            self._end_frame()
        self._frame = ""
        self._written = 0


def _final(row: list[str]) -> str:
    text = "".join(row)
    return text if text.strip(" ") else ""
