"""An outline as text for a model: one line a symbol, fewer levels when it would be too long."""

from __future__ import annotations

from collections.abc import Sequence

from novacore.types import Symbol

MAX_CHARS = 12_000


def render(symbols: Sequence[Symbol], *, max_chars: int = MAX_CHARS) -> str:
    """``start-end name_path | signature``, indented by depth; says what was left out."""
    for levels in range(1 + max((symbol.depth for symbol in symbols), default=0), 0, -1):
        shown = [symbol for symbol in symbols if symbol.depth < levels]
        lines = [_line(symbol) for symbol in shown]
        if sum(map(len, lines)) + len(lines) <= max_chars or levels == 1:
            return _cut(lines, len(symbols), max_chars)
    return ""


def _line(symbol: Symbol) -> str:
    lines = f"{symbol.range.start_line}-{symbol.range.end_line}"
    doubt = " (approximate)" if symbol.approximate else ""
    return f"{'  ' * symbol.depth}{lines} {symbol.name_path} | {symbol.signature}{doubt}"


def _cut(lines: list[str], total: int, max_chars: int) -> str:
    used, shown = 0, 0
    for line in lines:
        if used + len(line) + 1 > max_chars:
            break
        used, shown = used + len(line) + 1, shown + 1
    left = total - shown
    more = [f"... {left} more symbols; ask for one by name, or read lines"] if left else []
    return "\n".join([*lines[:shown], *more])


def children(symbols: Sequence[Symbol], parent: Symbol) -> tuple[Symbol, ...]:
    """The symbols inside ``parent``, in source order."""
    start, end = parent.range.start_byte, parent.range.end_byte
    return tuple(
        symbol
        for symbol in symbols
        if symbol.depth > parent.depth
        and start <= symbol.range.start_byte
        and symbol.range.end_byte <= end
    )
