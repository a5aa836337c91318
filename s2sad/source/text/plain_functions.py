"""The Python function behind what users pass as one: a method, a wrapper, an object,
a derivative."""

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.errors import ArgumentError
from s2sad.source.text.composed import calling_function, composed_function


def plain_function(function: Any) -> tuple[types.FunctionType, tuple[Any, ...]]:
    """The Python function that is run, and what is bound to its first parameter."""
    if isinstance(function, types.MethodType) or _is_bound_by_us(function):
        plain, bound = plain_function(function.__func__)
        return plain, (*bound, function.__self__)
    if isinstance(function, staticmethod | classmethod):
        form = type(function).__name__
        raise ArgumentError(
            f"{function.__name__} is a {form} object: write @{form} above the "
            "decorator of s2sad"
        )
    seen = function
    method = inspect.getattr_static(type(function), "__call__", None)
    if isinstance(method, types.FunctionType) and not _is_wrapper(function):
        return plain_function(types.MethodType(method, function))
    while not isinstance(seen, types.FunctionType):
        if getattr(seen, "__s2sad_derivative__", False):
            return composed_function(seen), ()
        inner = _inner(seen)
        if inner is None and not inspect.isclass(seen) and callable(seen):
            inner = calling_function(seen)
        if inner is None:
            # here: reading sources isn't loaded before one is read
            from s2sad.source.text.source import source_of

            source_of(seen)  # says why there is no source
            raise ArgumentError(f"{function!r} is not a Python function")
        seen = inner
    if hasattr(seen, "__wrapped__") and seen.__code__.co_flags & _TAKES_ANY:
        return calling_function(seen) or seen, ()
    return seen, ()


_TAKES_ANY = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def _is_wrapper(function: Any) -> bool:
    """True for what stands for another function: derivatives, Numba's and our own, and
    what ``vectorize`` makes, NumPy's and Numba's, which is followed where it is
    called."""
    if is_vectorized(function):
        return True
    derivative = getattr(function, "__s2sad_derivative__", False)
    return derivative or _inner(function) is not None


def _is_bound_by_us(function: Any) -> bool:
    """A differentiated method, looked up on an instance."""
    return type(function).__module__ == "s2sad.api" and hasattr(function, "__self__")


def _inner(function: Any) -> Callable[..., Any] | None:
    """The function that a wrapper runs, where it is known to do nothing else."""
    for name in ("__s2sad_primal__", "__s2sad_target__", "py_func"):  # ours, Numba's
        inner = getattr(function, name, None)
        if callable(inner):
            return inner
    if isinstance(function, functools._lru_cache_wrapper):
        return function.__wrapped__
    return None


_VECTORIZED = "numba.np.ufunc.dufunc"
OTHERS_OF_NUMBA = {
    "numba.np.ufunc.gufunc": "numba.guvectorize writes its results into an argument",
    "numba.stencils.stencil": "numba.stencil has a meaning of its own for indices",
}


def is_made_by_numba(function: Any) -> bool:
    """True for what ``vectorize``, ``guvectorize`` and ``stencil`` give."""
    module = type(function).__module__
    return module == _VECTORIZED or module in OTHERS_OF_NUMBA


def is_vectorized(function: Any) -> bool:
    """True for what Numba or ``numpy.vectorize`` make of functions."""
    return isinstance(function, np.vectorize) or is_made_by_numba(function)
