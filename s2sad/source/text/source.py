"""The text of a function: found, parsed, and checked against what the function runs.

Takes a live function, or the path of a file that is never executed, and gives
``SourceFunction``: the syntax tree at its true place in the file, together with what
the names in it mean.
"""

from __future__ import annotations

import functools
import linecache
import types
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2sad.errors import SourceError
from s2sad.source.static.values import StaticFunction
from s2sad.source.text import code_check, composed, deep_recursion, parsed, resolve
from s2sad.source.text.source_function import SourceFunction

if TYPE_CHECKING:
    pass


@deep_recursion.with_room
def source_of(function: Callable[..., Any]) -> SourceFunction:
    """The text of a live function, checked against the code it runs.

    Functions of modules, scripts, notebooks and doctests, methods, nested functions and
    lambdas all have text. A decorated function is taken as it is: callers unwrap.

    Raises ``SourceError`` if there is no text, or if it isn't what the function runs.
    """
    function = _plain_function(function)
    code = function.__code__
    lines = _lines_of(function)
    if not lines:
        raise SourceError(_no_source(function))
    try:
        file = parsed.parse(code.co_filename, lines)
    except SourceError as error:
        raise SourceError(f"{_changed(function)}\n{error}") from None
    loader = getattr(function.__globals__.get("__spec__"), "loader", None)
    node = code_check.find_node(file, code, loader)
    if node is None:
        raise SourceError(_changed(function))
    return SourceFunction(
        name=code.co_name,
        qualname=function.__qualname__,
        module=function.__module__ or function.__globals__.get("__name__", ""),
        filename=code.co_filename,
        lines=file.lines,
        node=node,
        resolver=resolve.LiveResolver(function),
        function=function,
        defaults=_defaults(function),
        file=file,
    )


def of_user(source: SourceFunction) -> SourceFunction:
    """The function of the user's that is differentiated, where this only calls its
    derivative."""
    while source.filename.startswith(composed.OF_DERIVATIVE):
        target = composed.function_behind(source.function)
        if source.calls is None and target is None:
            break
        source = source.calls or source_of(target)
    return source


_known: dict[types.FunctionType, SourceFunction] = {}


def source_of_own(function: Callable[..., Any]) -> SourceFunction:
    """The same for a rule or a helper: the text of those that come with s2sad is read
    once, since they are used again and again."""
    if isinstance(function, StaticFunction):
        return replace(function.source)
    module = getattr(function, "__module__", None) or ""
    if not isinstance(function, types.FunctionType) or not module.startswith("s2sad."):
        return source_of(function)
    known = _known.get(function)
    if known is None:
        known = _known[function] = source_of(function)
    return copy(known)  # variables are told apart by the object


def _plain_function(function: Any) -> types.FunctionType:
    """The Python function behind a method; anything else that isn't one is refused."""
    if isinstance(function, types.MethodType | staticmethod | classmethod):
        function = function.__func__
    if isinstance(function, types.FunctionType):
        return function
    kind = type(function)
    spelled = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    name = getattr(function, "__name__", None) or f"an object of type {spelled}"
    if isinstance(function, type):
        text = f"{name} is a class; pass a method, or a def or lambda that calls it"
    elif not callable(function):
        text = f"{name} is not a function; pass a def or lambda"
    elif hasattr(function, "__wrapped__"):
        text = f"{name} is a {spelled}, not a Python function; pass its __wrapped__"
    elif isinstance(function, functools.partial):
        text = (
            f"{spelled} has no source of its own; pass a def or lambda that makes "
            "the call"
        )
    elif isinstance(kind.__call__, types.WrapperDescriptorType):
        text = (
            f"{name} ({spelled}) is compiled and has no Python source; pass a def or "
            "lambda that calls it"
        )
    else:
        text = (
            f"{name} is not a Python function; pass its __call__ method, or a def or "
            "lambda that calls it"
        )
    raise SourceError(text)


def _lines_of(function: types.FunctionType) -> Sequence[str]:
    filename = function.__code__.co_filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    if not lines and hasattr(linecache, "_getlines_from_code"):
        # 3.13 keeps the text of `python -c` and of the prompt by code object
        lines = linecache._getlines_from_code(function.__code__)
    return lines


def _defaults(function: types.FunctionType) -> dict[str, Any]:
    code = function.__code__
    values = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return {**dict(zip(names, values)), **(function.__kwdefaults__ or {})}


def _no_source(function: types.FunctionType) -> str:
    filename = function.__code__.co_filename
    head = f"there is no source text for {function.__qualname__} ({filename})"
    if filename.startswith("<"):
        return (
            f"{head}: it was made by exec or typed at a plain prompt; write it in a "
            "file or a notebook, or register the text in linecache.cache"
        )
    return f"{head}: the file is missing; restore it or write the function elsewhere"


def _changed(function: types.FunctionType) -> str:
    code = function.__code__
    if code.co_filename == "<string>":  # Python 3.13 shows the text of -c there
        return _no_source(function)
    return (
        f"the text at {code.co_filename}:{code.co_firstlineno} is not what "
        f"{function.__qualname__} runs: the file has changed since it was loaded, or "
        "the function was made in another way; reload the module "
        f"(importlib.reload) or run the cell again"
    )
