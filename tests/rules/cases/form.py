"""The form of a case: a call as users write it, and what is known of its derivative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import MethodType
from typing import Any

import numpy as np

from s2sad.testing.structures import numbers_of


class LiteralFloat(float):
    """A float that stands in the source of the call, not in a variable."""


class LiteralInt(int):
    """An int that stands in the source of the call, not in a variable."""


@dataclass(frozen=True)
class Case:
    """One call of a function."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    wrt: tuple[int | str, ...]
    """Positions of the arguments to differentiate by, and names of keywords; () where
    there is no derivative."""
    keywords: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    expected: tuple[Any, ...] | None = None
    """The gradient for each of ``wrt``, for a cotangent of ones, at a singular point;
    None where it is that of central differences."""
    second_order: bool = True
    """False where the second derivative isn't there: say why beside the call."""
    seldom: bool = False
    """Left to the long tests, though it is the first call of the function."""

    @property
    def name(self) -> str:
        words = [f"{k}={_spelled(v)}" for k, v in self.keywords.items()]
        told = ",".join([*map(_spelled, self.arguments), *words])
        return f"{name_of_function(self.function)}({told}) {self.note}".rstrip()


def name_of_function(function: Callable[..., Any]) -> str:
    """The function in its module, or the method in its class."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, MethodType):
        return f"{type(owner).__name__}.{function.__name__}"
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module.removeprefix('tests.rules.').strip('_')}.{function.__name__}"


def _spelled(value: Any) -> str:
    """Arrays by their shapes."""
    if isinstance(value, np.ndarray):
        return "x".join(map(str, value.shape)) + value.dtype.char
    if isinstance(value, tuple | list):
        return "/".join(map(_spelled, value[:4])) + ("/..." if len(value) > 4 else "")
    if isinstance(value, slice):
        return f"{value.start}:{value.stop}:{value.step}"
    if isinstance(value, int | float | complex | str | np.generic | None):
        return str(value)
    return getattr(value, "__name__", type(value).__name__)


def case(
    function: Callable[..., Any],
    *arguments: Any,
    wrt: tuple[int | str, ...] | None = None,
    note: str = "",
    expected: tuple[Any, ...] | None = None,
    second_order: bool = True,
    seldom: bool = False,
    **keywords: Any,
) -> Case:
    """A call, differentiated by all arguments by position that hold floats, if it isn't
    said by which."""
    if wrt is None:
        wrt = tuple(
            k
            for k, a in enumerate(arguments)
            if not isinstance(a, LiteralFloat) and numbers_of(a)
        )
    return Case(
        function, arguments, wrt, keywords, note, expected, second_order, seldom
    )


def case_by_first(
    function: Callable[..., Any], *arguments: Any, wrt=(0,), **how: Any
) -> Case:
    """A call, differentiated by its first argument, if it isn't said by which."""
    return case(function, *arguments, wrt=wrt, **how)
