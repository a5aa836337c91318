"""Jacobians of functions whose result has the form of their argument.

``columns_of_jacobian`` is written out where a derivative needs the matrix; it is the
one place that decides how the columns come about (here one tangent for each).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.equations.vectors import as_parts, as_vector, count_of


def columns_of_jacobian(pushed: Callable[..., Any], unknown: Any) -> Any:
    """The matrix whose columns are ``pushed(unit)`` for each unit vector in the form of
    ``unknown``, an array or a tuple; ``pushed`` maps its tangent to the result's."""
    units = np.eye(count_of(unknown))
    columns = [as_vector(pushed(as_parts(unit, unknown))) for unit in units]
    return np.stack(columns, axis=1)


def columns_of_difference(pushed: Callable[..., Any], unknown: Any) -> Any:
    """The same of ``unknown - step(unknown)``, where ``pushed`` is that of ``step``."""
    units = np.eye(count_of(unknown))
    columns = [as_vector(pushed(as_parts(unit, unknown))) for unit in units]
    return units - np.stack(columns, axis=1)


def adjoint_solution(matrix: Any, z_bar: Any) -> Any:
    """``u`` of ``matrix.T @ u = z_bar``, in the form of ``z_bar``."""
    if isinstance(z_bar, tuple) or np.ndim(z_bar) != 0:
        vector = np.linalg.solve(matrix.T, as_vector(z_bar))
        return as_parts(vector, z_bar)
    return z_bar / matrix


def tangent_solution(matrix: Any, right: Any) -> Any:
    """``z_dot`` of ``matrix @ z_dot = right``, in the form of ``right``."""
    if isinstance(right, tuple) or np.ndim(right) != 0:
        vector = np.linalg.solve(matrix, as_vector(right))
        return as_parts(vector, right)
    return right / matrix
