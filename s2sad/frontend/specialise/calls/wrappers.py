"""Functions in disguise: partial applications, caches, bound methods, decorated ones.

Takes a callable object that isn't a plain function; gives the call of the function
behind it.
"""

from __future__ import annotations

import ast
import functools
import operator
import random
import types
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.errors import SourceError
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.vectorized import call_vectorized
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.language.names import known_object
from s2sad.frontend.specialise.library_calls.random_sources import refuse_unknown_draw
from s2sad.frontend.specialise.objects.dispatched_calls import (
    call_dispatched,
    check_not_of_class,
    is_dispatched,
)
from s2sad.frontend.specialise.objects.static_objects import static_instance
from s2sad.source.text.plain_functions import is_vectorized
from s2sad.source.text.resolve import StaticClass, StaticFunction
from s2sad.source.text.source import SourceFunction, source_of_own

_TRANSPARENT = {
    "s2sad.differentiate",
    "s2sad.api.differentiate",
    *(f"s2sad.rules.registry.{f}" for f in ("reverse_of", "forward_of", "batched_as")),
    "functools.lru_cache",
    "functools.cache",
    "functools.wraps",
    "staticmethod",
    "classmethod",
    "property",
    "functools.cached_property",
    "abc.abstractmethod",
    "typing.no_type_check",
    "typing.override",
    "typing.final",
    "numba.njit",
    "numba.jit",
    "numba.core.decorators.njit",
    "numba.core.decorators.jit",
}
"""Decorators that leave what the function computes as it is."""


def call_wrapper(
    spec: Specialiser,
    function: Any,
    args: tuple[core.Value, ...],
    keywords: dict[str, core.Value],
    node: ast.AST,
) -> core.Value | None:
    """A call of a callable object, by the function behind it; None for others."""

    if isinstance(function, StaticClass):
        return static_instance(spec, function, args, keywords, node)
    if isinstance(function, functools.partial):
        given = tuple(
            _held(spec, function, f".args[{k}]", value, node)
            for k, value in enumerate(function.args)
        )
        words = {
            name: _held(spec, function, f".keywords[{name!r}]", value, node)
            for name, value in function.keywords.items()
        }
        inner = core.constant(function.func)
        return spec.call_value(inner, (*given, *args), {**words, **keywords}, node)
    if isinstance(getattr(function, "__self__", None), random.Random):
        refuse_unknown_draw(function, node)
        return None
    if isinstance(function, types.MethodType) and _is_written_in_python(function):
        owner = known_object(spec, function, ".__self__", function.__self__, node)
        inner = core.constant(function.__func__)
        return spec.call_value(inner, (owner, *args), keywords, node)
    if isinstance(function, functools._lru_cache_wrapper):
        values = (*args, *keywords.values())
        if not any(ir.is_real_number_kind(core.kind_of(value)) for value in values):
            from s2sad.frontend.specialise.calls.cached_calls import cached_call

            return cached_call(spec, function, args, keywords, node)
        return spec.call_function(function.__wrapped__, args, keywords, node)
    if is_vectorized(function):
        return call_vectorized(spec, function, args, keywords, node)
    of_series = type(function).__module__.startswith("numpy.polynomial.")
    if isinstance(function, np.poly1d) or (of_series and hasattr(function, "domain")):
        return _polynomial(spec, function, args, keywords, node)
    check_not_of_class(function, node)
    if is_dispatched(function):
        return call_dispatched(spec, function, args, keywords, node)
    if isinstance(function, operator.itemgetter):
        return _items(spec, function.__reduce__()[1], args, node)
    if isinstance(function, operator.attrgetter):
        return _attributes(spec, function.__reduce__()[1], args, node)
    if isinstance(function, operator.methodcaller):
        return _method_called(spec, function.__reduce__(), args, node)
    return None


def _held(
    spec: Specialiser, owner: Any, suffix: str, value: Any, node: ast.AST
) -> core.Value:
    """What a partial application holds: numbers by value, other data read live."""
    if type(value) in (bool, int, float, str, type(None)):
        spec.read_attribute(owner, suffix.removeprefix("."), value)
        return core.constant(value)
    return known_object(spec, owner, suffix, value, node)


def _polynomial(
    spec: Specialiser,
    polynomial: Any,
    args: tuple[core.Value, ...],
    keywords: dict[str, core.Value],
    node: ast.AST,
) -> core.Value:
    """The value of a polynomial of NumPy that is data, by that of one made here."""

    names: tuple[str, ...] = ("coef",)
    if isinstance(polynomial, np.poly1d):
        names = ("coeffs",)
    elif list(polynomial.domain) != list(polynomial.window):
        names = ("coef", "domain", "window")
    held = tuple(
        _held(spec, polynomial, f".{name}", getattr(polynomial, name), node)
        for name in names
    )
    made = spec.call_function(type(polynomial), held, {}, node)
    return spec.call_value(made, args, keywords, node)


def _is_written_in_python(method: types.MethodType) -> bool:
    from s2sad.frontend.specialise.calls.foreign import is_report

    root = (getattr(method.__func__, "__module__", "") or "").partition(".")[0]
    return hasattr(method.__func__, "__code__") and not (
        root in ("numpy", "scipy") or is_report(method)
    )


def _items(
    spec: Specialiser, keys: Any, args: tuple[core.Value, ...], node: ast.AST
) -> core.Value:
    """``itemgetter(*keys)(value)``."""

    (value,) = args
    items = [spec.item_of(value, core.constant(key), node) for key in keys]
    return items[0] if len(items) == 1 else core.aggregate_of(tuple(items))


def _attributes(
    spec: Specialiser, paths: Any, args: tuple[core.Value, ...], node: ast.AST
) -> core.Value:
    """``attrgetter(*paths)(value)``."""

    found = []
    for path in paths:
        (value,) = args
        for name in path.split("."):
            value = spec.attribute_of(value, name, node)
        found.append(value)
    return found[0] if len(found) == 1 else core.aggregate_of(tuple(found))


def _method_called(
    spec: Specialiser, made: Any, args: tuple[core.Value, ...], node: ast.AST
) -> core.Value:
    """``methodcaller(name, *given)(value)``."""

    maker, (name, *given) = made
    words: dict[str, Any] = {}
    if isinstance(maker, functools.partial):
        (name,), words = maker.args, maker.keywords
    (value,) = args
    method = spec.attribute_of(value, name, node)
    keywords: dict[str, core.Value] = {k: core.constant(v) for k, v in words.items()}
    return spec.call_value(method, tuple(map(core.constant, given)), keywords, node)


def user_source(function: Any, node: ast.AST) -> SourceFunction | None:
    """The source of a function written in Python by the user; None for library
    functions."""
    if isinstance(function, StaticFunction):
        check_decorators(function, node)
        return function.source
    function = unwrapped(function)
    if not hasattr(function, "__code__"):
        return None
    if hasattr(function, "__s2sad_custom__"):
        return None  # its text isn't what it is differentiated by
    root = (getattr(function, "__module__", "") or "").split(".")[0]
    if root in ("numpy", "scipy"):
        return None
    try:
        return source_of_own(function)
    except SourceError as error:
        raise core.Unsupported(
            node,
            f"the source of {ir.function_name(function)} isn't available",
            str(error).splitlines()[0],
        ) from None


def check_decorators(function: StaticFunction, node: ast.AST) -> None:
    """Refuse a function whose decorators may make another function of it."""
    for path in function.decorators:
        if path not in _TRANSPARENT and not path.endswith((".setter", ".getter")):
            raise core.Unsupported(
                node,
                f"what @{path} makes of {function.name} isn't known from the text",
                "call the function without the decorator, or differentiate it where it "
                "is imported",
            )


def unwrapped(function: Any) -> Any:
    """The plain function behind s2sad's own decorator and Numba's."""
    while True:
        inner = getattr(function, "__s2sad_primal__", None) or getattr(
            function, "py_func", None
        )
        if inner is None:
            return function
        function = inner


def is_known(value: core.Value, known: Any) -> bool:
    """True for the very object."""
    return isinstance(value, core.Leaf) and (
        isinstance(value.kind, ir.Known) and value.kind.value is known
    )
