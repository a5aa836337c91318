"""Lists of more than four items that decide, by what they hold or how much, what the
program is: their items are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import ArgumentError, UnsupportedError
from s2sad.testing import check_grads


def transposed(x, axes):
    return np.sum(np.transpose(x, axes)[0] ** 2 * np.arange(2.0))


def reshaped(x, shape):
    return np.sum(x.reshape(*shape)[0] ** 2)


def summed(x, axes):
    return np.sum(np.sum(x, axis=axes) ** 2)


def tiled(x, times):
    return np.sum(np.tile(x, times)[0] ** 2)


def split(x, places):
    parts = np.split(x.ravel(), places)
    return sum(np.sum(part) ** 2 * (k + 1) for k, part in enumerate(parts))


X = np.arange(32.0).reshape(2, 2, 2, 2, 2) / 10.0


@pytest.mark.parametrize(
    "function, whole",
    [
        (transposed, [4, 3, 2, 1, 0]),
        (transposed, (0, 2, 1, 4, 3)),
        (reshaped, (4, 1, 2, 2, 2)),
        (summed, (0, 1, 2, 3, 4)),
        (tiled, (1, 2, 1, 1, 3)),
        (split, [1, 3, 4, 9, 20]),
    ],
)
def test_whole_numbers(function, whole):
    check_grads(function, (X, whole), wrt="x")


def test_other_ones_are_others():
    derivative = grad(transposed)
    first, second = (derivative(X, axes) for axes in ([4, 3, 2, 1, 0], [0, 1, 2, 3, 4]))
    assert not np.array_equal(first, second)


def unpacked(d):
    def product(a, b, c, d, e):
        return a * b + c * d * e

    return product(**d)


def dotted(rows):
    return np.einsum("i,i,i,i,i->", *rows)


def chained(rows):
    return np.sum(np.linalg.multi_dot(rows))


def test_values_that_are_unpacked_into_a_call():
    check_grads(unpacked, (dict(zip("abcde", [0.5, 0.6, 0.7, 0.8, 0.9])),))
    rows = [np.array([0.3, 0.5]) * k for k in range(1, 6)]
    check_grads(dotted, (rows,))
    check_grads(chained, ([np.outer(row, rows[0]) for row in rows],))


def test_many_are_refused():
    with pytest.raises(UnsupportedError, match="isn't known before the program runs"):
        grad(reshaped)(X, [1] * 65)
    with pytest.raises((UnsupportedError, ArgumentError)):
        grad(summed)(X, tuple(range(70)))
