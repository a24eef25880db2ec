"""Grammars and queries: from the installed wheels, each loaded once. Nothing is ever downloaded."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from novacore.code.languages.table import Table

if TYPE_CHECKING:
    from tree_sitter import Language, Query


def grammar(table: Table) -> Language | None:
    """The grammar of a language, or None when its wheel is not installed."""
    return _load(*table.grammar)


def declarations(table: Table) -> Query:
    """A query that captures each node that may be a declaration."""
    return _query(*table.grammar, tuple(table.rules))


def available() -> dict[str, bool]:
    """Every language that has a table, and whether its grammar loads."""
    from novacore.code.languages import TABLES

    return {table.language: grammar(table) is not None for table in TABLES}


@cache
def _load(module: str, function: str) -> Language | None:
    from tree_sitter import Language

    try:
        return Language(getattr(import_module(module), function)())
    except ImportError:
        return None


@cache
def _query(module: str, function: str, kinds: tuple[str, ...]) -> Query:
    from tree_sitter import Query

    language = _load(module, function)
    if language is None:
        raise LookupError(f"the grammar {module} is not installed")
    nodes = " ".join(f"({kind})" for kind in kinds)
    return Query(language, f"[{nodes}] @declaration")
