"""The sources of functions that users wrote."""

from typing import Any

from s2sad import errors, ir
from s2sad.frontend.specialise import core
from s2sad.source.text import resolve, source, source_function

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


def user_source(function: Any) -> source_function.SourceFunction | None:
    """The source of a function written in Python by the user; None for library
    functions."""
    if isinstance(function, resolve.StaticFunction):
        check_decorators(function)
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
        return source.source_of_own(function)
    except errors.SourceError as error:
        raise core.Unsupported(
            f"the source of {ir.function_name(function)} isn't available",
            str(error).splitlines()[0],
        ) from None


def check_decorators(function: resolve.StaticFunction) -> None:
    """Refuse a function whose decorators may make another function of it."""
    for path in function.decorators:
        if path not in _TRANSPARENT and not path.endswith((".setter", ".getter")):
            raise core.Unsupported(
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
