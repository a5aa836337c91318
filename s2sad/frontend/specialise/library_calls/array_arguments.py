"""Lists and tuples of numbers where a function of NumPy or SciPy takes an array.

::

    np.outer([0.0, 0.0, 1.0], v)     ->     np.outer(np.array([0.0, 0.0, 1.0]), v)

Rules are written for arrays, and so are their cotangents.
"""

import inspect
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words


def with_arrays(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> tuple[Args, Words]:
    """The arguments of a call, lists as arrays where the rule differentiates by what
    stands there."""
    rule = rules.rule_for(function)
    lists = any(map(_is_list_of_numbers, (*args, *keywords.values())))
    if rule is None or rule.takes_sequence or not lists or not _takes_arrays(function):
        return args, keywords
    names = _names_of_positions(rule.signature, len(args))
    taken = {*rule.differentiable, *rule.refused}
    return tuple(
        as_array_argument(spec, value) if name in taken else value
        for name, value in zip(names, args, strict=True)
    ), {
        name: as_array_argument(spec, value) if name in taken else value
        for name, value in keywords.items()
    }


def as_array_argument(spec: Specialiser, value: core.Value) -> core.Value:
    """A list or tuple of numbers or arrays as an array; others as they are."""

    if not _is_list_of_numbers(value):
        return value
    return spec.call_function(np.array, (value,), {})


def is_array(value: core.Value) -> bool:
    """What makes an operator one of arrays."""
    return isinstance(value, core.Leaf) and isinstance(value.kind, ir.Array)


def _is_list_of_numbers(value: core.Value) -> bool:
    if isinstance(value, core.Leaf):
        return isinstance(value.kind, ir.List)
    if not isinstance(value, core.Aggregate) or value.constructor not in (list, tuple):
        return False
    return bool(value.items) and all(
        _is_list_of_numbers(item)
        or (isinstance(item, core.Leaf) and isinstance(item.kind, _NUMBERS))
        for item in value.items
    )


_NUMBERS = (ir.Scalar, ir.NumPyScalar, ir.Array)


def _takes_arrays(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    root = module.partition(".")[0]
    return isinstance(function, np.ufunc) or root in ("numpy", "scipy")


def _names_of_positions(signature: inspect.Signature, count: int) -> list[str]:
    """The parameters that so many positional arguments fill."""
    names: list[str] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [name] * (count - len(names))
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(name)
    return (names + [""] * count)[:count]
