"""What a file of programs is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SMALL, LARGE = (5, 12), (5, 5000)


@dataclass(frozen=True)
class Program:
    """A function, and arguments for it of any size."""

    function: Callable[..., Any]
    arguments: Callable[[int, np.random.Generator], tuple[Any, ...]]
    wrt: tuple[str, ...] | None = None
    """Names of parameters; None for all that carry a derivative."""
    sizes: tuple[int, ...] = LARGE
    """What the second step runs."""
    second: bool = True
    """Whether its second derivatives are compared."""

    @property
    def name(self) -> str:
        return self.function.__name__


class Programs:
    """The programs of a file, in its order."""

    def __init__(self) -> None:
        self.programs: list[Program] = []

    def over(
        self, arguments: Callable[[int, Any], tuple[Any, ...]], **more: Any
    ) -> Any:
        """A decorator that puts a function into the list, with its arguments."""

        def note(function: Callable[..., Any]) -> Callable[..., Any]:
            self.programs.append(Program(function, arguments, **more))
            return function

        return note
