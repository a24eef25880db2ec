"""The state of a task: a pure fold over events, its text in a request, and that text read back."""

from __future__ import annotations

from novacore.engine.state.fold import fold, fold_all
from novacore.engine.state.json_form import from_json, to_json
from novacore.engine.state.parse import parse_state_text
from novacore.engine.state.patch import merge_patch
from novacore.engine.state.render import render_state
from novacore.engine.state.restatement import render_restatement

__all__ = [
    "fold",
    "fold_all",
    "from_json",
    "merge_patch",
    "parse_state_text",
    "render_restatement",
    "render_state",
    "to_json",
]
