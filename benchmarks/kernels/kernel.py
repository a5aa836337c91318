"""What a kernel of the suite is.

A kernel is a function of NumPy as a scientist would write it, its derivative derived by
hand, and data. ``by_hand`` is the adjoint of the function statement by statement, as an
expert writes it: forward values are reused, factors are shared, the value itself is not
computed. Where the best that a person writes uses algebra over several statements,
that is ``closed_form``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import s2sad
from s2sad.derivatives import Derivative

Size = tuple[int, ...]
"""What ``data`` is told; growth is measured in the first number."""


@dataclass(frozen=True)
class Kernel:
    """A function, its derivative by hand, and data that exercises both."""

    name: str
    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    data: Callable[..., tuple[Any, ...]]
    """Arguments of a size: ``data(rng, *size)``."""
    sizes: Mapping[str, Size]
    """``tiny`` for tests; ``small``, ``medium`` and ``large`` for times. These three
    differ in the first number alone."""
    wrt: Any = 0
    derivative: Callable[..., Any] | None = None
    """The same derivative by s2sad, where it isn't ``grad(function, wrt)``."""
    closed_form: Callable[..., Any] | None = None
    wanted: str = "gradient"
    """What the derivative is; a gradient by ``wrt`` where nothing else is said."""
    products_dominate: bool = False
    """Matrix products take most of the time, at every size."""

    @property
    def over_numbers(self) -> bool:
        """True for a kernel that loops over numbers, which its name tells."""
        return self.name.endswith(("_loop", "_loops"))

    def arguments(self, size: str, seed: int = 0) -> tuple[Any, ...]:
        """Data of a size, the same for the same seed."""
        return self.data(np.random.default_rng(seed), *self.sizes[size])

    def called(self) -> Callable[..., Any]:
        """s2sad's derivative, as users call it."""
        return self.derivative or s2sad.grad(self.function, self.wrt)

    def generated(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The generated function alone, where there is one function."""
        called = self.called()
        if isinstance(called, Derivative):
            return called.compiled(*arguments)
        return called

    def with_value(self, arguments: tuple[Any, ...]) -> Callable[..., Any] | None:
        """The generated function for value and gradient together; None for other
        derivatives."""
        if self.derivative is not None:
            return None
        both = s2sad.value_and_grad(self.function, self.wrt)
        return both.compiled(*arguments)


def timed(small: Size, medium: int, large: int, tiny: Size) -> dict[str, Size]:
    """Sizes that differ in the first number."""
    rest = small[1:]
    return {
        "tiny": tiny,
        "small": small,
        "medium": (medium, *rest),
        "large": (large, *rest),
    }
