"""Functions in disguise: partial applications, caches, bound methods, decorated ones.

Takes a callable object that isn't a plain function; gives the call of the function
behind it.
"""

import functools
import operator
import random
import types
from functools import partial
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.library import lists
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import cached_calls, foreign, vectorized
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.language.names import known_object
from s2sad.frontend.specialise.library_calls.random_sources import refuse_unknown_draw
from s2sad.frontend.specialise.objects import dispatched_calls, static_objects
from s2sad.source.text import plain_functions, resolve


def call_wrapper(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    """A call of a callable object, by the function behind it; None for others."""

    if isinstance(function, resolve.StaticClass):
        return static_objects.static_instance(spec, function, args, keywords)
    if isinstance(function, functools.partial):
        given = tuple(
            _held(spec, function, f".args[{k}]", value)
            for k, value in enumerate(function.args)
        )
        words = {
            name: _held(spec, function, f".keywords[{name!r}]", value)
            for name, value in function.keywords.items()
        }
        inner = core.constant(function.func)
        return spec.call_value(inner, (*given, *args), {**words, **keywords})
    if isinstance(getattr(function, "__self__", None), random.Random):
        refuse_unknown_draw(function)
        return None
    if _makes_named_tuple(function):
        cls = core.constant(function.__self__)
        return spec.call_function(lists.made_of, (cls, *args), keywords)
    if isinstance(function, types.MethodType) and _is_written_in_python(function):
        owner = known_object(spec, function, ".__self__", function.__self__)
        inner = core.constant(function.__func__)
        return spec.call_value(inner, (owner, *args), keywords)
    if isinstance(function, functools._lru_cache_wrapper):
        values = (*args, *keywords.values())
        if not any(ir.is_real_number_kind(core.kind_of(value)) for value in values):
            return cached_calls.cached_call(spec, function, args, keywords)
        call = partial(spec.call_function, function.__wrapped__, args, keywords)
        return cached_calls.recomputed(spec, function, values, call)
    if plain_functions.is_vectorized(function):
        return vectorized.call_vectorized(spec, function, args, keywords)
    of_series = type(function).__module__.startswith("numpy.polynomial.")
    if isinstance(function, np.poly1d) or (of_series and hasattr(function, "domain")):
        return _polynomial(spec, function, args, keywords)
    dispatched_calls.check_not_of_class(function)
    if dispatched_calls.is_dispatched(function):
        return dispatched_calls.call_dispatched(spec, function, args, keywords)
    if isinstance(function, operator.itemgetter):
        return _items(spec, function.__reduce__()[1], args)
    if isinstance(function, operator.attrgetter):
        return _attributes(spec, function.__reduce__()[1], args)
    if isinstance(function, operator.methodcaller):
        return _method_called(spec, function.__reduce__(), args)
    return None


def _held(spec: Specialiser, owner: Any, suffix: str, value: Any) -> core.Value:
    """What a partial application holds: numbers by value, other data read live."""
    if type(value) in (bool, int, float, str, type(None)):
        spec.read_attribute(owner, suffix.removeprefix("."), value)
        return core.constant(value)
    return known_object(spec, owner, suffix, value)


def _polynomial(
    spec: Specialiser, polynomial: Any, args: Args, keywords: Words
) -> core.Value:
    """The value of a polynomial of NumPy that is data, by that of one made here."""

    names: tuple[str, ...] = ("coef",)
    if isinstance(polynomial, np.poly1d):
        names = ("coeffs",)
    elif list(polynomial.domain) != list(polynomial.window):
        names = ("coef", "domain", "window")
    held = tuple(
        _held(spec, polynomial, f".{name}", getattr(polynomial, name)) for name in names
    )
    made = spec.call_function(type(polynomial), held, {})
    return spec.call_value(made, args, keywords)


def _makes_named_tuple(function: Any) -> bool:
    """True for ``Point._make`` of a NamedTuple."""
    cls = getattr(function, "__self__", None)
    made = isinstance(cls, type) and hasattr(cls, "_fields")
    return made and getattr(function, "__name__", "") == "_make"


def _is_written_in_python(method: types.MethodType) -> bool:
    root = (getattr(method.__func__, "__module__", "") or "").partition(".")[0]
    return hasattr(method.__func__, "__code__") and not (
        root in ("numpy", "scipy") or foreign.is_report(method)
    )


def _items(spec: Specialiser, keys: Any, args: Args) -> core.Value:
    """``itemgetter(*keys)(value)``."""

    (value,) = args
    items = [spec.item_of(value, core.constant(key)) for key in keys]
    return items[0] if len(items) == 1 else core.aggregate_of(tuple(items))


def _attributes(spec: Specialiser, paths: Any, args: Args) -> core.Value:
    """``attrgetter(*paths)(value)``."""

    found = []
    for path in paths:
        (value,) = args
        for name in path.split("."):
            value = spec.attribute_of(value, name)
        found.append(value)
    return found[0] if len(found) == 1 else core.aggregate_of(tuple(found))


def _method_called(spec: Specialiser, made: Any, args: Args) -> core.Value:
    """``methodcaller(name, *given)(value)``."""

    maker, (name, *given) = made
    words: dict[str, Any] = {}
    if isinstance(maker, functools.partial):
        (name,), words = maker.args, maker.keywords
    (value,) = args
    method = spec.attribute_of(value, name)
    keywords: Words = {k: core.constant(v) for k, v in words.items()}
    return spec.call_value(method, tuple(map(core.constant, given)), keywords)


def is_known(value: core.Value, known: Any) -> bool:
    """True for the very object."""
    return isinstance(value, core.Leaf) and (
        isinstance(value.kind, ir.Known) and value.kind.value is known
    )
