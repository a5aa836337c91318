"""What calls give that share no memory with one another, nor with their operands."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad.testing import check_grads


def matrix(x):
    return np.outer(x, x) + np.diag(np.arange(1.0, len(x) + 1))


def eigenvalues_turned(x):
    w, v = np.linalg.eigh(matrix(x))
    w[::-1].sort()
    v[0] *= 3.0
    return np.sum(w * np.arange(len(x))) + np.sum(v**4)


def eigenvalues_by_name(x):
    found = np.linalg.eigh(matrix(x))
    w, v = found.eigenvalues, found.eigenvectors
    w[0] = w[1] ** 2
    return np.sum(w) + np.sum(v**4)


def singular_values_cut(x):
    u, s, vt = np.linalg.svd(matrix(x))
    s[2:] = 0.0
    u *= s
    return np.sum((u @ vt) ** 2 * np.arange(len(x)))


def factors_changed(x):
    q, r = np.linalg.qr(matrix(x))
    r[0] *= 2.0
    q[:, 0] = q[:, 1]
    return np.sum((q @ r) ** 2)


def sums_of_parts(x):
    squares, total = x**2, 0.0
    for i in range(3):
        sums = np.add.reduceat(squares, [0, 1, 3])
        squares[i] = sums[1] * 0.5
        sums[0] = sums[0] * sums[2]
        total += np.sum(sums)
    return total + np.sum(squares)


def lists_as_arrays(x):
    z = x * 2.0
    rows, pair = np.asarray([z[:2], z[2:4]]), np.asarray((z, z))
    listed = [z[i] for i in range(len(z))]
    numbers, same = np.asarray(listed), np.asarray(z)
    rows[0] *= 2.0
    pair[0] = pair[1] * pair[0]
    numbers[1] = numbers[0] ** 2
    z[2] = z[0] * z[1]
    same[0] = 7.0 * x[1]
    return np.sum(rows**2) + np.sum(pair) + np.sum(numbers) + np.sum(z**2)


@pytest.mark.parametrize(
    "function",
    [
        *(eigenvalues_turned, eigenvalues_by_name, singular_values_cut),
        *(factors_changed, sums_of_parts, lists_as_arrays),
    ],
)
def test_results_apart(function):
    check_grads(function, (np.array([0.5, 0.9, 0.3, 1.2, 0.7]),))
