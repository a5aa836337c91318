"""The form of a call, and arrays to call with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Call:
    """One call: derivatives are taken by all arguments that hold floats."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    second_order: bool = True
    """False where the second derivative isn't there: say why beside the call."""
    seldom: bool = False
    """Left to the long tests, though it is the first call of the function."""

    @property
    def name(self) -> str:
        owner = getattr(self.function, "__self__", None)
        owner_name = type(owner).__name__ + "." if owner is not None else ""
        shapes = ",".join(
            type(a).__name__ if np.ndim(a) == 0 else "x".join(map(str, np.shape(a)))
            for a in self.arguments
            if not isinstance(a, tuple | list | type)
        )
        words = [f"{k}={v}" for k, v in self.keywords.items() if np.ndim(v) < 1]
        told = ",".join([shapes, *words] if shapes else words)
        name = f"{owner_name}{self.function.__name__}({told})"
        return f"{name} {self.note}".rstrip()


def call(
    function: Callable[..., Any],
    *arguments: Any,
    note: str = "",
    second_order: bool = True,
    seldom: bool = False,
    **keywords: Any,
) -> Call:
    """A call of a function with these arguments."""
    return Call(function, arguments, keywords, note, second_order, seldom)
