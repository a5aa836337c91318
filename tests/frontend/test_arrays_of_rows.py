"""Lists of rows of unknown length as arrays, and ranges as indices."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad.testing import check_grads

XS = [0.3, 0.5, 0.7]
MATRIX = np.array([[0.1, 0.2, 0.3], [0.4, 0.1, 0.9]])


def pairs_of_places(x):
    ends = np.array([[i, i + 1] for i in range(len(x) - 1)])
    steps = x[ends[:, 1]] - x[ends[:, 0]]
    return np.sum(steps**2)


def tuples(xs):
    table = np.array([(x, x * x, 1) for x in xs])
    return np.sum(table @ np.array([1.0, 2.0, 3.0]))


def appended(xs):
    points = []
    for x in xs:
        points.append((x, x * x))
    table = np.asarray(points)
    return np.linalg.norm(table[1:] - table[:-1])


def given_to_a_function(xs):
    return np.sum(np.mean([[x, x**2] for x in xs], axis=0) ** 2)


def with_a_dtype(xs):
    table = np.array([[x, x**2] for x in xs], dtype=float)
    return np.sum(table.T @ np.ones(len(xs)))


def matrices(xs):
    return np.sum(np.linalg.det(np.array([[[x, 1.0], [2.0, x]] for x in xs])))


def stacked(xs):
    return np.sum(np.vstack([[x, x**2] for x in xs])[:, 1])


def arrays(xs):
    v = np.asarray(xs)
    return np.sum(np.array([[v * k, v] for k in range(len(xs))]) ** 2)


ROWS = (
    *(tuples, appended, given_to_a_function, with_a_dtype, matrices, stacked),
    arrays,
)


@pytest.mark.parametrize("count", [3, 30])
@pytest.mark.parametrize("function", ROWS)
def test_rows(function, count):
    xs = [0.3 + 0.02 * k for k in range(count)]
    check_grads(function, (xs,), order=1)


def test_rows_of_places():
    check_grads(pairs_of_places, (np.array(XS),))


def of_a_softmax(weights, x, labels):
    scores = x @ weights
    p = np.exp(scores - scores.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    errors = p.copy()
    errors[range(len(labels)), labels] -= 1.0
    return np.sum(errors**2) - np.mean(np.log(p[range(len(labels)), labels]))


@pytest.mark.parametrize("labels", [[1, 0], np.array([0, 0])])
def test_ranges_beside_labels(labels):
    check_grads(of_a_softmax, (MATRIX.T, MATRIX, labels), wrt=("weights", "x"))


def read(m):
    return np.sum(m[range(2), range(1, 3)] ** 2) + np.sum(m[:, range(0, 3, 2)])


def written(m):
    m = m.copy()
    m[range(2), range(2)] = m[0, 1] * m[1, 2]
    for k in range(2):
        m[k, range(k)] += m[0, 0]
    return np.sum(m**2)


@pytest.mark.parametrize("function", [read, written])
def test_ranges_as_indices(function):
    check_grads(function, (MATRIX,))
