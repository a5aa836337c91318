"""Products with the Jacobian of an equation, or its transpose, in place of the matrix.

``mapped`` takes what has the form of ``unknown`` (an array, or a tuple of numbers and
arrays) to what has the same form: a tangent of the equation, or its pullback. These
functions are written out as programs of their own.
"""

from collections.abc import Callable
from typing import Any

from s2sad.equations.vectors import as_parts, as_vector


def product_of_map(vector: Any, mapped: Callable[..., Any], unknown: Any) -> Any:
    """``L vector``."""
    return as_vector(mapped(as_parts(vector, unknown)))


def product_of_difference(vector: Any, mapped: Callable[..., Any], unknown: Any) -> Any:
    """``vector - L vector``."""
    return vector - as_vector(mapped(as_parts(vector, unknown)))


def linear_step(direction: Any, right: Any, mapped: Callable[..., Any]) -> Any:
    """``right + L direction``, part by part."""
    if isinstance(right, tuple):
        return tuple([a + b for a, b in zip(right, mapped(direction))])
    return right + mapped(direction)
