"""What a running command prints: all of it counted, its head and tail kept."""

from __future__ import annotations

import codecs
from collections import deque

HEAD_BYTES = 1024 * 1024
TAIL_BYTES = 1024 * 1024
WHOLE_BYTES = 50 * 1024 * 1024
"""More than this is never kept, not even in an artifact."""


class Capture:
    """Collects bytes. Memory is bounded by ``whole`` + ``tail`` bytes, whatever comes."""

    def __init__(
        self, *, whole: int = WHOLE_BYTES, head: int = HEAD_BYTES, tail: int = TAIL_BYTES
    ) -> None:
        self.total = 0
        """Bytes that came."""
        self._sizes = (head, tail)
        self._whole_bytes = whole
        self._whole = bytearray()
        self._later: deque[bytes] = deque()
        self._later_bytes = 0

    def add(self, data: bytes) -> None:
        """Take up ``data``."""
        self.total += len(data)
        room = self._whole_bytes - len(self._whole)
        self._whole += data[:room]
        if rest := data[room:]:
            self._later.append(rest)
            self._later_bytes += len(rest)
            while self._later_bytes - len(self._later[0]) >= self._sizes[1]:
                self._later_bytes -= len(self._later.popleft())

    @property
    def over(self) -> bool:
        """Whether ``text`` leaves something out."""
        return self.total > sum(self._sizes)

    def text(self) -> str:
        """The output, decoded as UTF-8; where it is too long, head and tail around a note."""
        if not self.over:
            return decoded(bytes(self._whole))
        head, tail = self._sizes
        end = (bytes(self._whole[-tail:]) + b"".join(self._later))[-tail:]
        left_out = self.total - head - len(end)
        note = f"\n[... {left_out:,} bytes left out here ...]\n"
        return decoded(bytes(self._whole[:head])) + note + decoded(end)

    def whole(self) -> str:
        """Everything up to the size that may be kept; a note says what is missing behind it."""
        text = decoded(bytes(self._whole))
        missing = self.total - len(self._whole)
        return f"{text}\n[... {missing:,} bytes were not kept ...]\n" if missing else text


def decoded(data: bytes) -> str:
    """UTF-8 with replacement characters, and one kind of line end."""
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


class Lines:
    """Cuts a byte stream into text that ends at line ends, so that no secret is cut in two."""

    MAX_CHARS = 64 * 1024
    """A line that is longer is passed on in pieces."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def add(self, data: bytes) -> str:
        """Whole lines that ``data`` completed; empty when there are none."""
        text = self._rest + self._decoder.decode(data)
        cut = text.rfind("\n") + 1
        if not cut and len(text) > self.MAX_CHARS:
            cut = len(text)
        self._rest = text[cut:]
        return text[:cut]

    def end(self) -> str:
        """The unfinished last line."""
        text = self._rest + self._decoder.decode(b"", final=True)
        self._rest = ""
        return text
