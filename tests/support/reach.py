"""Which functions a test calls, by the names in its code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any


def reaches(test: Any, target: Callable[..., Any]) -> bool:
    """Whether a test names ``target``, or names a function of the tests that does, and
    so on. What goes by attributes or containers isn't seen.

    >>> reaches(reaches, _names)
    True
    >>> reaches(_names, reaches)
    False
    """
    test = getattr(test, "__func__", test)
    test = getattr(getattr(test, "hypothesis", None), "inner_test", test)
    return isinstance(test, FunctionType) and target in _reached(test)


@functools.cache
def _reached(function: FunctionType) -> frozenset[Any]:
    found: set[Any] = {function}
    waiting = [function]
    while waiting:
        current = waiting.pop()
        for name in _names(current.__code__):
            value = current.__globals__.get(name)
            value = getattr(value, "__wrapped__", value)
            if (
                isinstance(value, FunctionType)
                and value not in found
                and value.__module__.partition(".")[0] == "tests"
            ):
                found.add(value)
                waiting.append(value)
    return frozenset(found)


def _names(code: CodeType) -> Iterator[str]:
    """The names in a code object and in those inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
