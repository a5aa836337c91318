"""Calls of libraries with what doesn't vary: copied into the output, never entered.

``json.loads(text)``, ``scipy.stats.norm.ppf(0.9)`` and the like have no derivative
where nothing that varies is passed. They run when the derivative does, and so do the
methods of what they give, and the reading of its attributes.
"""

from __future__ import annotations

import types
from typing import Any

from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.values import Aggregate, Leaf, Value, operand_of
from s2sad.ir.kinds import UNKNOWN, Unknown, is_real_number_kind
from s2sad.ir.nodes import Apply, Const, Global, Var
from s2sad.ops.effects import attribute_of_object, method_of_object
from s2sad.source.text.libraries import (
    is_file_of_library,
    is_library,
    place_of_distribution,
)

_FIXED = (tuple, frozenset, slice, range)
_WRITERS = frozenset(
    (
        *("shuffle", "heapify", "heappush", "heappop", "heapreplace", "heappushpop"),
        *("insort", "insort_left", "insort_right", "copyto", "put", "place", "putmask"),
        *("put_along_axis", "fill_diagonal", "setitem", "delitem", "pack_into", "at"),
        *("iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imod", "imul", "ior"),
        *("imatmul", "ipow", "irshift", "isub", "itruediv", "ixor"),
    )
)
"""Functions of libraries that change what they are given."""
_ENTERED = (
    *("contextlib", "copy", "dataclasses", "functools", "itertools", "s2sad"),
    *("collections", "operator", "typing", "enum", "abc", "types", "inspect"),
)
"""Modules whose functions make structures and functions that are followed."""


def writes_nothing(function: Any) -> bool:
    """True for functions of NumPy, SciPy and the standard library that aren't known to
    change what they are given."""
    module = getattr(function, "__module__", None) or ""
    if getattr(function, "__name__", "") in _WRITERS:
        return False
    return is_library(module) or type(function).__module__ == "numpy"


def is_constant(spec: Specialiser, value: Value) -> bool:
    """True for what surely doesn't depend on an argument that varies."""
    if isinstance(value, Leaf):
        if isinstance(value.operand, Const | Global) or value.operand in spec.constant:
            return True
        return isinstance(value.operand, Var) and not is_real_number_kind(value.kind)
    if not isinstance(value, Aggregate) or value.constructor not in (
        *_FIXED,
        *(list, dict, set),
    ):
        return False
    return all(is_constant(spec, item) for item in value.items)


def constant_call(
    spec: Specialiser,
    function: Any,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value | None:
    """A call of a library's function that is copied; None for any other call."""
    if spec.derived or not _is_foreign(spec, function):
        return None
    if not all(is_constant(spec, v) for v in (*args, *keywords.values())):
        return None
    if not writes_nothing(function):
        return None
    if isinstance(function, types.MethodType):
        place = spec.places.get(id(function.__self__))
        if place is None:
            found = place_of_distribution(function.__self__)
            if found is None:
                return None
            place = found[1], found[0]
        owner = Leaf(Global(*place), UNKNOWN)
        spec.global_kinds[Global(*place)] = UNKNOWN
        return _called(spec, owner, function.__name__, args, keywords)
    words = tuple((k, operand_of(v)) for k, v in keywords.items())
    return _kept(spec, Apply(function, tuple(map(operand_of, args)), words), "result")


def constant_method(
    spec: Specialiser,
    receiver: Value,
    name: str,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value | None:
    """A method of what a library's function gave."""
    if not _is_foreign_object(spec, receiver):
        return None
    if not all(is_constant(spec, v) for v in (*args, *keywords.values())):
        return None
    return _called(spec, receiver, name, args, keywords)


def constant_attribute(spec: Specialiser, receiver: Value, name: str) -> Value | None:
    """An attribute of what a library's function gave."""
    if not _is_foreign_object(spec, receiver):
        return None
    operation = Apply(
        attribute_of_object, (operand_of(receiver),), (), f"attribute:{name}"
    )
    return _kept(spec, operation, name)


def _is_foreign_object(spec: Specialiser, value: Value) -> bool:
    return (
        not spec.derived
        and isinstance(value, Leaf)
        and type(value.kind) is Unknown  # sources of random numbers are followed
        and value.kind.present is None
        and (value.operand in spec.constant or value.kind.inactive)
    )


def _called(
    spec: Specialiser,
    owner: Value,
    name: str,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    words = tuple((k, operand_of(v)) for k, v in keywords.items())
    operands = tuple(map(operand_of, (owner, *args)))
    operation = Apply(method_of_object, operands, words, f"method:{name}")
    return _kept(spec, operation, name)


def _kept(spec: Specialiser, operation: Apply, hint: str) -> Value:
    """The call in a variable of which it is known that it doesn't vary."""
    name = hint if hint.isidentifier() else "result"
    value = spec.assign(spec.fresh(name), operation, UNKNOWN)
    spec.constant.add(value.operand)
    return value


def _is_foreign(spec: Specialiser, function: Any) -> bool:
    """True for a function or method of a library that is written in Python: neither
    the user's nor one of the package that is differentiated."""
    if isinstance(function, type):
        return False
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None)
    module = getattr(plain, "__module__", None) or ""
    root = module.partition(".")[0]
    if root in _ENTERED and plain is function:
        return False
    if code is None or root == spec.main_module.partition(".")[0]:
        return False
    return is_library(module) and is_file_of_library(code.co_filename)
