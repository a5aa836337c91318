"""Derivatives as functions that can be differentiated again.

Takes a derivative (what ``grad(f)`` returns); gives a function of the same parameters
whose text calls it. Inside a function that is differentiated, calls of derivatives are
written out, so this is all that ``grad(grad(f))`` needs::

    def f_grad(x, y):
        return derivative(x, y)
"""

import functools
import inspect
import itertools
import linecache
import types
from collections.abc import Callable
from typing import Any

import numpy as np

OF_DERIVATIVE = "<s2sad derivative "
"""How the file names of such functions start."""

_OF_LIBRARY = "s2sad_calls"
"""The module of those that call what is written in C."""

_LATEST: dict[int, tuple[Any, types.FunctionType]] = {}
"""The functions that call others, by identity of these: a derivative that is asked for
again is compiled once."""
_MOST = 64

_counter = itertools.count(1)


def composed_function(derivative: Any) -> types.FunctionType:
    """The function that calls a derivative; one for each derivative."""
    known = getattr(derivative, "__s2sad_composed__", None)
    if known is None:
        known = _made(derivative)
        derivative.__s2sad_composed__ = known
    return known


def function_behind(composed: Any) -> Any:
    """The function whose derivative a composed one calls; None if there is none."""
    for cell in getattr(composed, "__closure__", None) or ():
        target = getattr(cell.cell_contents, "_target", None)
        if target is not None:
            return target.function
    return None


def calling_function(function: Any) -> types.FunctionType | None:
    """The Python function that calls something else that can be called, with the
    parameters that it says it has: a partial application, a wrapper, a function written
    in C. None where it doesn't say."""
    known = _LATEST.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    try:
        parameters = list(_signature_of(function).parameters.values())
    except (TypeError, ValueError):
        return None
    inner = inspect.unwrap(function)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    name = getattr(inner, "__name__", type(inner).__name__)
    made = calling(name, parameters, getattr(inner, "__doc__", None) or "")[1](function)
    own = isinstance(inner, types.FunctionType)
    composed = types.FunctionType(
        made.__code__,
        inner.__globals__ if own else {"__name__": _OF_LIBRARY},
        made.__name__,
        _defaults(parameters),
        made.__closure__,
    )
    composed.__kwdefaults__ = _defaults_by_keyword(parameters)
    composed.__module__ = inner.__module__ if own else _OF_LIBRARY
    _LATEST[id(function)] = function, composed
    while len(_LATEST) > _MOST:
        _LATEST.pop(next(iter(_LATEST)), None)
    return composed


def _signature_of(function: Any) -> inspect.Signature:
    """The parameters of something that can be called. Raises TypeError or ValueError
    where nobody knows."""
    if isinstance(function, np.ufunc):
        names = "x" if function.nin == 1 else [f"x{k + 1}" for k in range(function.nin)]
        return inspect.Signature(
            [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names]
        )
    if isinstance(function, np.vectorize):
        return inspect.signature(function.pyfunc)
    found = inspect.signature(function)
    if isinstance(function, types.FunctionType | functools.partial):
        return found
    needed = [p for p in found.parameters.values() if p.default is p.empty]
    if not needed:
        raise ValueError("it may be called without arguments")
    return found.replace(parameters=needed)


def _defaults_by_keyword(parameters: list[inspect.Parameter]) -> dict[str, Any] | None:
    return {
        p.name: p.default
        for p in parameters
        if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
    } or None


def _made(derivative: Any) -> types.FunctionType:
    target = derivative._target
    skipped = len(target.bound)
    parameters = list(target.signature.parameters.values())[skipped:]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in derivative._more_parameters
    ]
    words = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
        for name in derivative._more_keywords
    ]
    behind = [p for p in parameters if p.kind is p.VAR_KEYWORD]
    parameters = [p for p in parameters if p not in behind] + words + behind
    _, factory = calling(derivative.__name__, parameters, derivative.__doc__)
    made = factory(derivative)
    own = target.function
    composed = types.FunctionType(
        made.__code__,
        own.__globals__,
        made.__name__,
        _defaults(parameters),
        made.__closure__,
    )
    composed.__kwdefaults__ = _defaults_by_keyword(parameters)
    composed.__module__ = own.__module__
    annotations, names = own.__annotations__, [p.name for p in parameters]
    composed.__annotations__ = {n: annotations[n] for n in names if n in annotations}
    return composed


def calling(
    name: str, parameters: list[inspect.Parameter], doc: str = ""
) -> tuple[str, Callable[[Any], types.FunctionType]]:
    """A name, and what makes a function of these parameters, for what stands under the
    name: the function passes its arguments on to it."""
    names = {p.name for p in parameters}
    held = "derivative"
    while held in names:
        held += "_"
    name = name if name.isidentifier() else "derivative_of_lambda"
    bare = [p.replace(annotation=p.empty, default=p.empty) for p in parameters]
    call = f"{held}({', '.join(map(_passed, bare))})"
    text = (
        f"def with_derivative({held}):\n"
        f"    def {name}{inspect.Signature(bare)}:\n"
        f"        {doc!r}\n"
        f"        return {call}\n"
        f"    return {name}\n"
    )
    filename = f"{OF_DERIVATIVE}{name} {next(_counter)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict[str, Any] = {}
    exec(compile(text, filename, "exec", 0, True), namespace)
    return held, namespace["with_derivative"]


def _defaults(parameters: list[inspect.Parameter]) -> tuple[Any, ...] | None:
    found = [
        p.default
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        and p.default is not p.empty
    ]
    return tuple(found) or None


def _passed(parameter: inspect.Parameter) -> str:
    name = parameter.name
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"*{name}"
    if parameter.kind is parameter.VAR_KEYWORD:
        return f"**{name}"
    if parameter.kind is parameter.KEYWORD_ONLY:
        return f"{name}={name}"
    return name
