"""What a shell command would run: every simple command in it, however it is wrapped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from novacore.tools.shell_words import word

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_CHARS = 50_000
"""Longer commands are not judged; they are asked for."""
MAX_DEPTH = 100

_STRANGE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|\S\\\n\S|[\u0085\u00a0\u2028\u2029]")
"""Characters that shells and parsers cut words at differently, and words glued over two lines."""

_HARMLESS = {
    "program", "list", "pipeline", "subshell", "compound_statement", "negated_command", "comment",
    "redirected_statement", "if_statement", "elif_clause", "else_clause", "while_statement",
    "for_statement", "do_group", "case_statement", "case_item", "command_substitution",
    "process_substitution", "string", "string_content", "concatenation", "word", "raw_string",
    "number", "variable_name", "simple_expansion", "expansion", "arithmetic_expansion",
    "file_descriptor", "heredoc_start", "heredoc_body", "heredoc_content", "heredoc_end",
    "special_variable_name", "command_name",
    "herestring_redirect", "heredoc_redirect", "brace_expression", "extglob_pattern",
    "ansi_c_string", "regex",
    "binary_expression", "unary_expression", "test_operator", "translated_string", "subscript",
}  # fmt: skip
_COMMANDS = {"command", "declaration_command", "unset_command", "test_command"}
_SETTING = {"read", "mapfile", "readarray", "getopts", "let"}
_EVALUATING = {"test", "[", "[[", "printf", "unset", "wait"}
_REDIRECTS = {"file_redirect", "herestring_redirect", "heredoc_redirect"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """``operator`` as written; ``target`` is None when it is only known at run time."""

    operator: str
    target: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleCommand:
    """One program or builtin with its words; None is a word that is only known at run time.

    ``assigns``: variables are set for it or by it.
    """

    argv: tuple[str | None, ...]
    text: str
    assigns: bool = False
    piped: bool = False
    """It reads what another command writes."""

    @property
    def name(self) -> str:
        """The program without its folder; empty when it is only known at run time."""
        return (self.argv[0] or "").rpartition("/")[2] if self.argv else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """Everything that a command line would run, in order. ``problem``: why it is not certain."""

    commands: tuple[SimpleCommand, ...]
    redirects: tuple[Redirect, ...] = ()
    problem: str = ""


def parse(command: str) -> Parsed:
    """The simple commands of ``command``, inner ones included. Never raises."""
    if len(command) > MAX_CHARS:
        return Parsed(commands=(), problem=f"it has more than {MAX_CHARS:,} characters")
    if found := _STRANGE.search(command):
        return Parsed(commands=(), problem=f"it holds {found[0]!r}, which shells read differently")
    try:
        root = _tree(command.encode())
    except UnicodeEncodeError:
        return Parsed(commands=(), problem="it holds characters that no shell can read")
    walk = _Walk()
    walk.visit(root)
    if root.has_error and not walk.problem:
        walk.problem = "it does not parse as bash"
    return Parsed(
        commands=tuple(walk.commands), redirects=tuple(walk.redirects), problem=walk.problem
    )


def _tree(source: bytes) -> Node:
    from tree_sitter import Parser

    # A parser of its own: one cannot be used by two threads.
    return Parser(_language()).parse(source).root_node


@cache
def _language() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


class _Walk:
    """Collects commands in the order of the source; anything that it does not know is a problem."""

    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.redirects: list[Redirect] = []
        self.problem = ""

    def visit(self, node: Node, *, depth: int = 0, piped: bool = False) -> None:
        if depth > MAX_DEPTH:
            self.problem = f"it is nested more than {MAX_DEPTH} deep"
            return
        if node.type in _COMMANDS:
            self.commands.append(_command(node, piped=piped))
        elif node.type == "variable_assignment":
            self._assignment(node)
        elif node.type == "file_redirect":
            self.redirects += _redirect(node)
        elif node.type not in _HARMLESS:
            self.problem = self.problem or _unknown(node)
        for place, child in enumerate(node.named_children):
            later = node.type == "pipeline" and place > 0
            self.visit(child, depth=depth + 1, piped=piped or later)

    def _assignment(self, node: Node) -> None:
        if node.parent is None or node.parent.type not in _COMMANDS:
            self.commands.append(SimpleCommand(argv=(), text=_text(node), assigns=True))


def _unknown(node: Node) -> str:
    if node.type == "function_definition":
        return "it defines a function, which may stand in for any program"
    return f"it uses {node.type.replace('_', ' ')}"


def _command(node: Node, *, piped: bool) -> SimpleCommand:
    words: list[str | None] = []
    assigns = node.type in ("declaration_command", "unset_command")
    if node.type == "test_command" or assigns:
        words.append(_text(node.children[0]))
    for child in node.named_children:
        if child.type == "variable_assignment":
            assigns = True
        elif child.type not in _REDIRECTS:
            words.append(word(child))
    assigns = assigns or _sets_variables(words)
    return SimpleCommand(argv=tuple(words), text=_text(node), assigns=assigns, piped=piped)


def _sets_variables(words: Sequence[str | None]) -> bool:
    """Builtins that set what they are told to, ``PATH`` too, or run what stands in an index."""
    name, further = words[0] if words else None, words[1:]
    if name in _SETTING or (name == "printf" and "-v" in further):
        return True
    return name in _EVALUATING and any("$(" in word or "`" in word for word in further if word)


def _redirect(node: Node) -> Iterator[Redirect]:
    operator = "".join(_text(child) for child in node.children if not child.is_named)
    target = node.named_children[-1] if node.named_children else None
    if target is not None and not (operator in (">&", "<&") and _is_descriptor(_text(target))):
        yield Redirect(operator=operator, target=word(target))


def _is_descriptor(text: str) -> bool:
    """Whether a redirect's target is another descriptor (``2>&1``, ``>&-``)."""
    return text.isdigit() or text == "-"


def _text(node: Node) -> str:
    return (node.text or b"").decode()
