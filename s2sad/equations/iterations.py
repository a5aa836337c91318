"""The iterations behind fixed points and roots.

They take functions of one unknown: a number, an array, or a tuple of these. They are
plain Python for two readers: a call runs them, and where ``fixed_point`` or ``root`` is
differentiated the compiler writes them out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.equations.vectors import as_parts, as_vector


def iterated(
    advance: Callable[..., Any], solution: Any, tol: float, maxiter: int
) -> Any:
    """Where ``solution = advance(solution)`` settles; RuntimeError if it doesn't."""
    done = False
    steps = 0
    while not done:
        if steps == maxiter:
            raise RuntimeError("fixed_point: no convergence within maxiter steps")
        new = advance(solution)
        done = is_settled(new, solution, tol)
        solution = new
        steps += 1
    return solution


def iterated_linear(
    advance: Callable[..., Any], right: Any, tol: float, maxiter: int
) -> Any:
    """The solution of ``u = right + L u``, by iteration from ``right``; ``advance`` is
    linear but for ``right``. RuntimeError if it doesn't settle, relative to its largest
    element."""
    found = right
    settled = False
    products = 0
    while not settled:
        if products == maxiter:
            raise RuntimeError("fixed_point: the derivative doesn't converge")
        further = advance(found)
        settled = is_relatively_settled(further, found, tol)
        found = further
        products += 1
    return found


def newton(
    residual: Callable[..., Any],
    newton_step: Callable[..., Any],
    solution: Any,
    tol: float,
    maxiter: int,
) -> Any:
    """Where ``residual(solution)`` vanishes, by damped Newton steps; RuntimeError if
    nothing is found. ``newton_step(solution, rest)`` is the change after which the
    linearised residual vanishes, to be subtracted."""
    rest = residual(solution)
    steps = 0
    while not is_small(rest, tol):
        if steps == maxiter:
            raise RuntimeError("root: no convergence within maxiter steps")
        change = newton_step(solution, rest)
        factor = 1.0
        tried = moved(solution, change, factor)
        rest_tried = residual(tried)
        while not largest(rest_tried) < largest(rest):  # nor is nan
            factor *= 0.5
            if factor < 1e-8:
                raise RuntimeError("root: no step makes the residual smaller")
            tried = moved(solution, change, factor)
            rest_tried = residual(tried)
        solution = tried
        rest = rest_tried
        steps += 1
    return solution


def is_settled(new: Any, old: Any, tol: float) -> Any:
    """Whether each element changed by little. False for nan, and for infinity."""
    if isinstance(new, tuple):
        new = as_vector(new)
        old = as_vector(old)
    if np.ndim(new) == 0:
        return abs(new - old) < tol * (1.0 + abs(new))
    return np.all(np.abs(new - old) < tol * (1.0 + np.abs(new)))


def is_relatively_settled(new: Any, old: Any, tol: float) -> Any:
    """Whether no element changed by more than ``tol`` times the largest one; that is
    independent of the scale. False for nan and for infinity."""
    if isinstance(new, tuple):
        new = as_vector(new)
        old = as_vector(old)
    return np.max(np.abs(new - old)) <= tol * np.max(np.abs(new))


def is_small(rest: Any, tol: float) -> Any:
    """Whether each element is small. False for nan."""
    if isinstance(rest, tuple):
        rest = as_vector(rest)
    if np.ndim(rest) == 0:
        return abs(rest) <= tol
    return np.all(np.abs(rest) <= tol)


def largest(rest: Any) -> Any:
    """The largest absolute value of all elements; nan if one is."""
    if isinstance(rest, tuple) or np.ndim(rest) != 0:
        return np.max(np.abs(as_vector(rest)))
    return abs(rest)


def newton_change(matrix: Any, rest: Any) -> Any:
    """The solution of ``matrix @ change = rest``, in the form of ``rest``."""
    if isinstance(rest, tuple) or np.ndim(rest) != 0:
        return as_parts(np.linalg.solve(matrix, as_vector(rest)), rest)
    return rest / matrix


def moved(z: Any, change: Any, factor: float) -> Any:
    """``z - factor * change``, part by part."""
    if isinstance(z, tuple):
        return tuple([a - factor * b for a, b in zip(z, change)])
    return z - factor * change
