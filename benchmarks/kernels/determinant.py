"""The determinant of a small matrix by expansion into minors, recursively.

The gradient by hand is the adjoint of the recursion; the closed form is the matrix of
cofactors, det(A) A^-T.
"""

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def minor_determinant(a, rows, columns):
    """The determinant of the rows and columns of ``a`` in two tuples of numbers."""
    if len(rows) == 1:
        return a[rows[0], columns[0]]
    total = 0.0
    sign = 1.0
    for k in range(len(columns)):
        rest = columns[:k] + columns[k + 1 :]
        total += sign * a[rows[0], columns[k]] * minor_determinant(a, rows[1:], rest)
        sign = -sign
    return total


def determinant(a, rows, columns):
    return minor_determinant(a, rows, columns)


def _adjoint(a, row, columns, total_bar, a_bar):
    """Adds to ``a_bar``, and returns the determinant."""
    if len(columns) == 1:
        a_bar[row, columns[0]] += total_bar
        return a[row, columns[0]]
    total = 0.0
    sign = 1.0
    for k in range(len(columns)):
        rest = columns[:k] + columns[k + 1 :]
        factor = sign * a[row, columns[k]]
        minor = _adjoint(a, row + 1, rest, total_bar * factor, a_bar)
        a_bar[row, columns[k]] += total_bar * sign * minor
        total += factor * minor
        sign = -sign
    return total


def determinant_grad(a, rows, columns):
    a_bar = np.zeros_like(a)
    _adjoint(a, 0, columns, 1.0, a_bar)
    return a_bar


def cofactors(a, rows, columns):
    return np.linalg.det(a) * np.linalg.inv(a).T


def data(rng, n):
    return rng.normal(size=(n, n)), list(range(n)), list(range(n))


KERNELS = (
    Kernel(
        "determinant_by_minors",
        determinant,
        determinant_grad,
        data,
        timed((3,), 4, 6, tiny=(4,)),
        closed_form=cofactors,
    ),
)
