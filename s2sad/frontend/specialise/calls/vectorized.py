"""Calls of what ``numpy.vectorize`` makes of functions, and Numba by ``vectorize``,
``guvectorize`` and ``stencil``.

A function under ``numba.vectorize`` computes of each element what its Python function
computes of a number; arrays are broadcast. Numba isn't imported for it.
"""

from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.source.text.plain_functions import OTHERS_OF_NUMBA, is_vectorized
from s2sad.source.text.source import source_of_own

_DOUBLE = set("dlqi?->")
"""The characters of NumPy's signatures in double precision."""


def call_vectorized(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    """The result of such a call; None for other functions, and those that have a rule.
    Raises Unsupported for what isn't followed."""

    if not is_vectorized(function) or rules.rule_for(function) is not None:
        return None
    if isinstance(function, np.vectorize):
        return _call_vectorized_by_numpy(spec, function, args, keywords)
    name = ir.function_name(getattr(function, "__wrapped__", function))
    advice = f"write {name} in plain Python or under numba.njit"
    reason = OTHERS_OF_NUMBA.get(type(function).__module__)
    if reason is not None:
        raise core.Unsupported(f"{reason}, and {name} isn't followed", advice)
    if keywords:
        words = ", ".join(f"{word}=" for word in keywords)
        reason = f"{name} is made by numba.vectorize and called with {words}"
        raise core.Unsupported(reason, "pass the arrays alone")
    types = getattr(function, "types", [])
    if not all(set(signature) <= _DOUBLE for signature in types):
        reason = f"{name} computes in single precision or with complex numbers"
        raise core.Unsupported(reason, "declare it for float64")
    plain = function.__wrapped__
    if all(
        isinstance(core.kind_of(v), ir.Scalar | ir.NumPyScalar | ir.Known) for v in args
    ):
        return spec.call_function(plain, args, {})
    return spec.inline(source_of_own(of_each), (core.constant(plain), *args), {})


def _call_vectorized_by_numpy(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value:
    """The same of an object of ``numpy.vectorize``, by the text that is called for it
    where it is made in the function."""
    from s2sad.frontend.library.numpy.functions import each_of

    if keywords or function.excluded or function.signature is not None:
        raise core.Unsupported(
            "numpy.vectorize with a signature, or arguments by name",
            "pass the arrays by position, or write a loop",
        )
    known = (core.constant(function.pyfunc), core.constant(function.otypes))
    source = source_of_own(each_of)
    return spec.inline(source, (*known, core.aggregate_of(args)), {})


def of_each(function: Any, *operands: Any) -> Any:
    """The function of each element of arrays that are broadcast to one shape."""
    if len(operands) == 1:
        (x,) = operands
        return np.reshape(np.array([function(e) for e in np.ravel(x)]), x.shape)
    together = sum(operands)
    wide = [np.ravel(np.broadcast_to(x, together.shape)) for x in operands]
    numbers = np.array([function(*each) for each in zip(*wide)])
    return np.reshape(numbers, together.shape)
