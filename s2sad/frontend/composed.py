"""Derivatives as functions that can be differentiated again.

Takes a derivative (what ``grad(f)`` returns); gives a function of the same parameters
whose text calls it. Inside a function that is differentiated, calls of derivatives are
written out, so this is all that ``grad(grad(f))`` needs::

    def f_grad(x, y):
        return derivative(x, y)
"""

from __future__ import annotations

import inspect
import itertools
import linecache
import types
from collections.abc import Callable
from typing import Any

OF_DERIVATIVE = "<s2sad derivative "
"""How the file names of such functions start."""

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
    composed.__kwdefaults__ = {
        p.name: p.default
        for p in parameters
        if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
    } or None
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
