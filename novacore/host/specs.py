"""pluggy finds, orders and validates; it never calls.

(``pm.hook.x()`` stops at the first exception, knows no async, and counts an un-awaited coroutine as
an answer.) An overridden method of ``Hooks`` is an implementation; there is no decorator.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

import pluggy
from typing_extensions import override

from novacore.errors import PluginRefused
from novacore.hookspecs import API_VERSION, HOOK_NAMES, Hooks

CLOSE = 0.8
"""Likeness from which a method's name counts as a misspelt hook: ``recal`` has 0.91."""
_MARKS = ("wrapper", "hookwrapper", "tryfirst", "trylast", "optionalhook", "specname")
_ABSENT = object()


class Incompatible(PluginRefused):
    """Written for hooks that this NovaCore does not have."""


class Specs(pluggy.PluginManager):
    """The five hooks, and who implements them."""

    def __init__(self) -> None:
        super().__init__("novacore")
        self.add_hookspecs(Hooks)

    @override
    def parse_hookspec_opts(self, _: Any, name: str) -> Any:
        """Every hook of ``Hooks`` is a specification."""
        return {} if name in HOOK_NAMES else None

    @override
    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        """Every overridden hook is an implementation."""
        return {} if name in HOOK_NAMES and implements(plugin, name) else None

    def implementations(self, hook: str) -> dict[str, Callable[..., Any]]:
        """By plugin: the bound method, taking the request (or nothing, when it names no argument).

        In no order that means anything.
        """
        caller: pluggy.HookCaller = getattr(self.hook, hook)
        return {impl.plugin_name: _taking_request(impl) for impl in caller.get_hookimpls()}


def implements(plugin: object, hook: str) -> bool:
    """Whether a plugin, class or instance, has its own method of this name."""
    found = inspect.getattr_static(plugin, hook, _ABSENT)
    return found is not _ABSENT and found is not inspect.getattr_static(Hooks, hook)


def hooks_of(plugin: object) -> tuple[str, ...]:
    """The hooks that a plugin implements, in the order of the design."""
    return tuple(hook for hook in HOOK_NAMES if implements(plugin, hook))


def check(plugin: object) -> None:
    """Refuse a class or instance that would never be called as its author thinks.

    Raises Incompatible or PluginRefused, with everything that is to be done. Runs none of the
    plugin's code.
    """
    _check_api(plugin)
    if found := "; ".join(_problems(plugin)):
        raise PluginRefused(found)


def _problems(plugin: object) -> Iterator[str]:
    for name in (n for n in _own_methods(plugin) if n.startswith("experimental_")):
        yield f"this NovaCore has no hook `{name}`: remove it, or update NovaCore"
    misspelt = list(_misspelt(plugin))
    for name, near in misspelt:
        yield f"no hook is called `{name}`; did you mean `{near}`? (no hook: call it `_{name}`)"
    hooks = hooks_of(plugin)
    if not hooks and not misspelt:
        yield f"it has no hook; override one of {', '.join(HOOK_NAMES)}"
    for hook in hooks:
        yield from _method_problems(plugin, hook)


def _check_api(plugin: object) -> None:
    need = inspect.getattr_static(plugin, "api", API_VERSION)
    have = ".".join(map(str, API_VERSION))
    wanted = _version(need)
    if wanted is None:
        raise Incompatible(f"its `api` is {need!r}; write `api = {API_VERSION}`")
    if wanted[0] != API_VERSION[0] or wanted > API_VERSION:
        asked = ".".join(map(str, wanted))
        raise Incompatible(
            f"it is written for hook API {asked}, and this NovaCore has {have}; install a release "
            "of the plugin or of NovaCore that fits the other"
        )


def _version(api: object) -> tuple[int, ...] | None:
    if isinstance(api, str):
        api = tuple(int(p) if p.isdecimal() else p for p in api.split("."))
    if isinstance(api, int):
        api = (api,)
    if isinstance(api, list | tuple) and api and all(type(n) is int for n in api):
        return tuple(api)
    return None


def _misspelt(plugin: object) -> Iterator[tuple[str, str]]:
    plain = {hook.replace("_", ""): hook for hook in HOOK_NAMES}
    for name in _own_methods(plugin):
        folded = name.lower().replace("_", "")
        if near := difflib.get_close_matches(folded, list(plain), 1, CLOSE):
            yield name, plain[near[0]]


def _own_methods(plugin: object) -> Iterator[str]:
    """Public methods that are no hooks and not part of ``Hooks``, by name."""
    owner = plugin if isinstance(plugin, type) else type(plugin)
    for name in sorted(set(dir(owner)) - set(dir(Hooks)) - set(HOOK_NAMES)):
        value = inspect.getattr_static(owner, name)
        method = callable(value) or isinstance(value, staticmethod | classmethod)
        if method and not name.startswith("_") and not isinstance(value, type):
            yield name


def _method_problems(plugin: object, hook: str) -> Iterator[str]:
    found = inspect.getattr_static(plugin, hook)
    if isinstance(found, staticmethod | classmethod | MethodType):
        found = found.__func__
    if not inspect.isfunction(found):
        yield f"`{hook}` must be a method, and is a {type(found).__name__}"
        return
    if used := _marks(found):
        yield f"`{hook}` uses {', '.join(used)}, but the user orders plugins: remove the mark"
    if inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
        yield f"`{hook}` yields, like a wrapper; return one value instead"
    parameters = list(inspect.signature(found).parameters.values())[_skip(plugin, hook) :]
    if wrong := _wrong_argument(parameters):
        alone = len(parameters) == 1
        what = f"rename `{wrong}` to `request`" if alone else f"remove `{wrong}`"
        yield f"`{hook}` takes one argument, `request`; {what}"


def _marks(function: Callable[..., Any]) -> list[str]:
    marks = [value for name, value in vars(function).items() if name.endswith("_impl")]
    used = {mark for opts in marks if isinstance(opts, dict) for mark in _MARKS if opts.get(mark)}
    return sorted(used)


def _skip(plugin: object, hook: str) -> int:
    """1 when the function's first parameter is the instance or the class."""
    found = inspect.getattr_static(plugin, hook)
    if isinstance(found, staticmethod):
        return 0
    owner = plugin if isinstance(plugin, type) else type(plugin)
    in_class = inspect.getattr_static(owner, hook, _ABSENT) is found
    return 1 if in_class or isinstance(found, MethodType) else 0


def _wrong_argument(parameters: list[inspect.Parameter]) -> str:
    any_number = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    wrong = (
        parameter.name
        for parameter in parameters
        if parameter.name != "request"
        and parameter.default is parameter.empty
        and parameter.kind not in any_number
    )
    return next(wrong, "")


def _taking_request(impl: pluggy.HookImpl) -> Callable[..., Any]:
    function: Callable[..., Any] = impl.function
    parameters = inspect.signature(function).parameters.values()
    if not parameters:
        return lambda request: function()
    by_name = any(p.name == "request" and p.kind is not p.POSITIONAL_ONLY for p in parameters)
    only_keywords = all(p.kind is p.VAR_KEYWORD for p in parameters)
    if by_name or only_keywords:
        return lambda request: function(request=request)
    return function
