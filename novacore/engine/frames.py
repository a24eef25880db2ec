"""Frames around text that is data: marked so that the text cannot close its own frame."""

from __future__ import annotations

import hashlib
import hmac


def frame(text: str, *, kind: str, fragment: str, key: bytes, source: str = "") -> str:
    """Wrap ``text``, unaltered, in ``<kind mark=...>``.

    The mark is HMAC(session key, fragment id), ten hex digits: the same for that fragment in every
    request, different for every other. Text that holds its own mark gets the next counter.
    """
    counter = 0
    while (mark := _mark(key, fragment, counter)) in text:
        counter += 1
    where = f' source="{_attribute(source)}"' if source else ""
    return f'<{kind} mark="{mark}"{where}>\n{text}\n</{kind} mark="{mark}">'


def _mark(key: bytes, fragment: str, counter: int) -> str:
    name = f"{fragment}#{counter}" if counter else fragment
    return hmac.new(key, name.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:10]


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("\n", " ")
