"""Functions that s2sad compiles to check others: calls with keywords, and sums of all
numbers of a result, each with a weight.

The function to check is a captured variable, so that generated code has a name for it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.api import jvp


def call_of(function: Callable[..., Any], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """The function with its keywords given."""

    def call(*args: Any) -> Any:
        return function(*args, **kwargs)

    return call


def of_one_tuple(function: Callable[..., Any]) -> Callable[[tuple[Any, ...]], Any]:
    """The function of all its arguments as one tuple."""

    def taking_one(args: tuple[Any, ...]) -> Any:
        return function(*args)

    return taking_one


def along_vectors(
    function: Callable[[tuple[Any, ...]], Any], vectors: tuple[Any, ...]
) -> Callable[[tuple[Any, ...]], Any]:
    """The derivative along ``vectors``, of the structure of the argument.

    >>> along_vectors(lambda args: args[0] * args[1], (1.0, 0.0))((2.0, 3.0))
    3.0
    """

    def derivative(args: tuple[Any, ...]) -> Any:
        return jvp(function, (args,), (vectors,))[1]

    return derivative


def weighted_sum_of(
    function: Callable[..., Any], kwargs: dict[str, Any], weights: Any
) -> Callable[..., Any]:
    """The sum of what the function gives, an array, a number, or a tuple, list or dict
    of them, times weights of its structure (None where there is no derivative). Of
    complex arrays the real and imaginary parts are weighted.

    >>> weighted_sum_of(lambda x: (x, x * x), {}, (1.0, 10.0))(3.0)
    np.float64(93.0)
    """

    def weighted(*args: Any) -> Any:
        return np.sum(weights * function(*args, **kwargs))

    def weighted_parts(*args: Any) -> Any:
        return np.sum((np.conj(weights) * function(*args, **kwargs)).real)

    def weighted_items(*args: Any) -> Any:
        items = tuple(function(*args, **kwargs))
        total = 0.0
        for k in range(len(weights)):
            if weights[k] is not None:
                total = total + np.sum(weights[k] * items[k])
        return total

    def weighted_parts_of_items(*args: Any) -> Any:
        items = tuple(function(*args, **kwargs))
        total = 0.0
        for k in range(len(weights)):
            if weights[k] is not None:
                total = total + np.sum((np.conj(weights[k]) * items[k]).real)
        return total

    def weighted_values(*args: Any) -> Any:
        items = function(*args, **kwargs)
        total = 0.0
        for key in weights:
            if weights[key] is not None:
                total = total + np.sum(weights[key] * items[key])
        return total

    if isinstance(weights, complex | np.generic | np.ndarray) and (
        np.iscomplexobj(weights)
    ):
        return weighted_parts
    if isinstance(weights, dict):
        return weighted_values
    if not isinstance(weights, tuple | list):
        return weighted
    if isinstance(weights, tuple):
        weights = tuple(weights)  # a named one is looked into as an object
    return (
        weighted_parts_of_items
        if any(map(np.iscomplexobj, weights))
        else (weighted_items)
    )
