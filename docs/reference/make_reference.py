"""Writes the reference pages that follow from code: ``python docs/reference/make_reference.py``.

A test compares the pages with what this gives, so that they never say what the code does not.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from novacore import errors, services, types
from novacore.engine.verify.compact import verify_boundary, verify_compact
from novacore.engine.verify.instructions import verify_instructions
from novacore.engine.verify.recall import verify_recall
from novacore.engine.verify.spill import verify_spill
from novacore.engine.verify.tools import verify_tools
from novacore.hookspecs import HOOK_NAMES, Hooks
from novacore.tools.registry import built_in_tools

HERE = Path(__file__).parent
MADE = (
    "<!-- Made by docs/reference/make_reference.py from the code; edit that, not this page. -->\n"
)
Values = tuple[type[Any], ...]

REQUESTS: Mapping[str, Values] = {
    "spill": (types.SpillRequest, types.ToolOutput, types.SpillLimits),
    "compact": (types.CompactRequest, types.ViewItem, types.LegalCut, types.BoundaryInfo),
    "recall": (types.RecallRequest,),
    "inject_instructions": (types.InstructionsRequest,),
    "select_tools": (types.ToolsRequest, types.ToolInfo),
}
ANSWERS: Mapping[str, Values] = {
    "spill": (types.SpillPlan, types.SpillItem, types.LineRange),
    "compact": (
        types.Compaction,
        types.Passage,
        types.KeepEvent,
        types.KeepLines,
        types.StatePatch,
        types.Supersession,
    ),
    "recall": (types.Recalled,),
    "inject_instructions": (types.Section,),
    "select_tools": (types.ToolChoice,),
}
CHECKS: Mapping[str, tuple[Callable[..., None], ...]] = {
    "spill": (verify_spill,),
    "compact": (verify_compact, verify_boundary),
    "recall": (verify_recall,),
    "inject_instructions": (verify_instructions,),
    "select_tools": (verify_tools,),
}
SHARED: Values = (
    types.SessionRef,
    types.Event,
    types.EventRange,
    types.State,
    types.Statement,
    types.Fact,
    types.Conflict,
    types.PlanItem,
    types.FileRecord,
    types.CommandRecord,
    types.SideEffect,
)
LENT: Values = (
    services.Services,
    services.Clock,
    services.CodeReader,
    services.PastReader,
    services.Remembered,
)
STATUSES = {
    "ok": "It did what was asked.",
    "unchanged": "The same version is in the window already; a pointer stands for the text.",
    "not_found": "Nothing there; the nearest names are given.",
    "ambiguous": "Several match; the candidates are given, and no text.",
    "denied": "A rule or the path policy says no.",
    "too_many": "More than was asked for; the first ones are given, and how to narrow.",
    "too_large": "Over the size of a read; signature and outline are given.",
    "stale": "Based on an older version; the new one is given, and nothing was changed.",
    "unreadable": "Binary, or not to be opened.",
    "unsupported": "No grammar for it, or it cannot be done here; nothing happened.",
    "failed": "It went wrong: a bad input, an exit code that is not 0.",
    "rejected": "A person said no.",
    "interrupted": "Synthetic: it was cut off, and may have happened in part.",
    "sibling_failed": "Synthetic: not started, since a call of the same message failed.",
    "user_stopped": "Synthetic: not started, since the user stopped the turn.",
}


def pages() -> dict[str, str]:
    """The text of each page by its name."""
    made = {"hooks.md": hooks_page(), "tools.md": tools_page(), "errors.md": errors_page()}
    return {name: f"{MADE}\n{text}" for name, text in made.items()}


# --- hooks ---------------------------------------------------------------------------------


def hooks_page() -> str:
    """Each hook with signature, request, answer and checks; then what a plugin is lent."""
    parts = [
        "# Hooks\n",
        "A plugin derives from `novacore.Hooks` and overrides some of these. All values are frozen"
        " dataclasses of `novacore.types`, made with keywords. Any hook may be `def` or"
        " `async def`. [What hooks are for](../concepts/hooks.md) ·"
        " [write a plugin](../how-to/write-a-plugin.md)\n",
    ]
    for hook in HOOK_NAMES:
        parts += [f"## `{hook}`\n", _signature(hook), _doc(getattr(Hooks, hook))]
        parts += ["### Request\n", *map(_fields, REQUESTS[hook])]
        parts += ["### Answer\n", *map(_fields, ANSWERS[hook])]
        checks = "\n\n".join(_doc(check).rstrip() for check in CHECKS[hook])
        parts += ["### What the host checks\n", f"{checks}\n"]
    parts += ["## Shared values\n", *map(_fields, SHARED)]
    parts += [
        "## Services\n",
        "A plugin's constructor is called as `Plugin(config, services)`; `services` has:\n",
        *map(_members, LENT),
        "## The class\n",
        _doc(Hooks),
        "- Entry-point group `novacore.plugins.v1`; the entry's name is the plugin's id.\n"
        "- `start()` (2 s) and `aclose()` are called if the class has them, both `def` or"
        " `async def`; an import has 10 s.\n"
        "- A public method whose name is nearly a hook's, a wrong argument name, a generator, or"
        " pluggy's ordering marks are refused with what to do.\n",
    ]
    return "\n".join(parts)


def _signature(hook: str) -> str:
    return f"```python\n{signature_of(hook)}\n```\n"


def signature_of(hook: str) -> str:
    """``def spill(self, request: SpillRequest) -> ...``, on one line."""
    return f"def {hook}{inspect.signature(getattr(Hooks, hook))}".replace("'", "")


def _fields(value: type[Any]) -> str:
    rows = ["| field | type | default | |", "|---|---|---|---|"]
    told = _told(value)
    for field in dataclasses.fields(value):
        default = _default(field)
        kind = str(field.type).replace("|", "\\|")
        rows.append(f"| `{field.name}` | `{kind}` | {default} | {told.get(field.name, '')} |")
    return f"**`{value.__name__}`**: {_line(value)}\n\n" + "\n".join(rows) + "\n"


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{field.default!r}`"
    if field.default_factory is not dataclasses.MISSING:
        return f"`{field.default_factory()!r}`"
    return "required"


def _told(value: type[Any]) -> dict[str, str]:
    """The strings behind the fields of a class."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(value))).body
    assert isinstance(tree, ast.ClassDef)
    told: dict[str, str] = {}
    for before, here in zip(tree.body, tree.body[1:], strict=False):
        if not (isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name)):
            continue
        if isinstance(here, ast.Expr) and isinstance(here.value, ast.Constant):
            told[before.target.id] = _flat(str(here.value.value))
    return told


def _members(value: type[Any]) -> str:
    if dataclasses.is_dataclass(value):
        return _fields(value)
    rows = [f"- `{name}`: {kind}" for name, kind in _attributes(value)]
    for name, member in vars(value).items():
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function) and not name.startswith("_"):
            shown = name if isinstance(member, property) else f"{name}{_call(function)}"
            rows.append(f"- `{shown}`: {_flat(inspect.getdoc(function) or '')}")
    return f"**`{value.__name__}`**: {_line(value)}\n\n" + "\n".join(rows) + "\n"


def _attributes(value: type[Any]) -> Iterator[tuple[str, str]]:
    for name, kind in inspect.get_annotations(value).items():
        yield name, f"a `{kind}`"


def _call(function: Callable[..., Any]) -> str:
    return str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()")


# --- tools and errors ----------------------------------------------------------------------


def tools_page() -> str:
    """Each tool as the model sees it, and the statuses of results."""
    parts = [
        "# Tools\n",
        "The agent's tools, as the model sees them, in their order. Paths are relative to the"
        " workspace. Every result is cleaned, masked and under the same size limits"
        " ([spilling](../concepts/spill.md)). A tool that is not read-only asks"
        " ([permissions](../how-to/permissions-and-trust.md)); `plan` writes nothing but its own"
        " list.\n",
    ]
    for name, tool in built_in_tools().items():
        effect = "read-only" if tool.spec.read_only else "asks first"
        parts += [f"## `{name}`\n", f"*{effect}* · {_escaped(tool.spec.description)}\n"]
        parts.append("| input | type | |\n|---|---|---|")
        parts += [*_inputs(tool.spec.schema), ""]
    parts += ["## Statuses\n", "How a call ended, in `tool_result` records and `--json` events.\n"]
    parts.append("| status | |\n|---|---|")
    parts += [f"| `{status}` | {words} |" for status, words in STATUSES.items()]
    return "\n".join(parts) + "\n"


def _inputs(schema: Mapping[str, Any]) -> Iterator[str]:
    needed = schema.get("required", ())
    for name, rule in schema["properties"].items():
        notes = ["required"] if name in needed else []
        notes += [_limits(rule)] if _limits(rule) else []
        notes += [_escaped(rule["description"])] if "description" in rule else []
        yield f"| `{name}` | {_type(rule)} | {'; '.join(notes)} |"


def _type(rule: Mapping[str, Any]) -> str:
    if rule.get("type") != "array":
        return str(rule.get("type", "string"))
    item = rule["items"]
    inner = ", ".join(f"`{n}`" + ("" if n in item["required"] else "?") for n in item["properties"])
    return f"list of {{{inner}}}"


def _limits(rule: Mapping[str, Any]) -> str:
    low, high = rule.get("minimum"), rule.get("maximum")
    if low is not None and high is not None:
        return f"{low:,} to {high:,}"
    if low is not None:
        return f"from {low:,}"
    most = rule.get("maxItems") or rule.get("maxLength")
    return f"at most {most:,}" if most else ""


def errors_page() -> str:
    """The tree, and a row for each class."""
    tree = (errors.__doc__ or "").partition("\n\n")[2].rsplit("\n\n", 1)[0]
    parts = [
        "# Errors\n",
        "Everything that NovaCore raises on purpose is a `novacore.errors.NovaCoreError`, and"
        " `str(error)` is one line for a person that says what to do. On the command line it is the"
        " line on stderr; with `--json` the class's name is `data.code` of an envelope of kind"
        " `error`. The exit code is that of the class.\n",
        f"```\n{tree}\n```\n",
        "| class | exit code | |\n|---|---|---|",
    ]
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, errors.NovaCoreError):
            parts.append(f"| `{name}` | {value.exit_code} | {_line(value)} |")
    return "\n".join(parts) + "\n"


# --- words ---------------------------------------------------------------------------------


def _doc(value: Any) -> str:
    return _code(inspect.getdoc(value) or "") + "\n"


def _line(value: Any) -> str:
    return _flat((inspect.getdoc(value) or "").replace("\n\n", " "))


def _flat(text: str) -> str:
    return _code(" ".join(text.split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", r"\*")


def _code(text: str) -> str:
    return text.replace("``", "`")


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}", file=sys.stderr)


if __name__ == "__main__":
    main()
