"""Lists of unknown length where NumPy takes an array: stored into one, added at places
of one, as its index, joined."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.testing import check_grads


def stored(x, values):
    f = np.zeros(len(x))
    squares = [v * v for v in x]
    f[:] = squares
    f[[0, 1]] = [x[1], x[2]]
    f[[i for i in range(len(values))]] += values
    squares[0] = 7.0
    return np.sum(f**2)


def rows_stored(x):
    f = np.ones((len(x), 2))
    f[:] = [[v, v * v] for v in x]
    f[0] += [x[0], 2.0]
    return np.sum(f**3)


def added_at(x, values):
    f = np.zeros(5)
    for i in range(len(x)):
        np.add.at(f, [i % 5, (i + 2) % 5], [-x[i], x[i] ** 2])
        np.subtract.at(f, np.array([i % 5, i % 5]), [-x[i], x[i] ** 2])
    places = [i % 5 for i in range(len(values))]
    np.add.at(f, places, values)
    np.add.at(f, range(2), [x[0], 1.0])
    np.subtract.at(f, [0, 0], (x[0], x[1]))
    return np.sum(f**2)


def added_at_of_a_list_that_changes(x, values):
    f = np.zeros(5)
    held = []
    for i in range(len(x)):
        held.append(x[i] * x[i])
        np.add.at(f, [i % 5], held[-1:])
        np.put(f, [1], held[:1])
    np.add.at(f, [0, 1], held[:2])
    np.maximum.at(f, [2, 2], held[:2])
    held[0] = 3.0
    return np.sum(f**2) + held[0] * values[0]


def stiffness(x):
    k = np.zeros((len(x) + 1, len(x) + 1))
    for i, v in enumerate(x):
        k[i, i] += v + 0.3
        k[i + 1, i + 1] += v
        k[i, i + 1] -= v
        k[i + 1, i] -= v
    return k


def reduced_system(x, values):
    k, f = stiffness(x), np.linspace(0.5, 1.0, len(x) + 1)
    fixed = [0, 2]
    free = [i for i in range(len(k)) if i not in fixed]
    u = np.linalg.solve(k[np.ix_(free, free)], f[free])
    return u @ u


def solved_into_places(x, values):
    k, f = stiffness(x), np.linspace(0.5, 1.0, len(x) + 1)
    free = sorted(set(range(len(k))) - {len(values), 0})
    u = np.zeros(len(k))
    u[free] = np.linalg.solve(k[free][:, free], f[free])
    reactions = k @ u
    return u @ u + reactions[[0, len(values)]] @ reactions[[0, len(values)]]


def indexed(x, values):
    none = [i for i in range(len(x)) if x[i] > 50.0]
    some = [i for i in range(len(x)) if i % 3 != 1]
    mask = [v > 0.6 for v in x]
    pairs = [[i, i + 1] for i in range(len(values) - 1)]
    a = np.outer(x, x)
    total = np.sum(x[none] ** 2) + np.max(x[some] ** 2) + np.sum(x[mask] ** 3)
    total += np.sum(a[some, some[::-1]]) * np.mean(a[:, some]) + np.linalg.norm(a[some])
    total += np.sum(np.diff(x[pairs], axis=1) ** 2)
    a[some, 0] *= 2.0
    a[pairs] += 1.0
    return total + np.sum(a**2)


def vectors_joined(x, values):
    rows = []
    for v in x:
        if v > 0.5:
            rows.append(np.array([v, v * v]))
    columns, deep, flat = np.column_stack(rows), np.dstack(rows), np.hstack(rows)
    columns[0] *= 2.0
    total = np.sum(columns[:, 1:] ** 2 * columns[:, :-1]) + np.sum(deep[0, 0] ** 3)
    return total + np.sum(flat[1:] * flat[:-1])


def numbers_joined(x, values):
    squares = [v * v for v in x]
    columns, deep = np.column_stack(squares), np.dstack(squares)
    columns[0, 0] = columns[0, 1] * 3.0
    return np.sum(columns**2) + np.sum(deep[..., 1:] * deep[..., :-1])


def matrices_joined(x, values):
    blocks = []
    for i in range(len(x)):
        width = i % 3 + 1
        blocks.append(np.outer([x[i], 1.0], np.arange(1.0, width + 1) + x[i]))
    wide, columns = np.hstack(blocks), np.column_stack(blocks)
    wide[0, 0] *= 3.0
    deep = np.dstack([block[:, :1] for block in blocks])
    deeper = np.dstack([block[:, :, None] for block in blocks[::3]])
    total = np.sum(wide[:, 1:] * wide[:, :-1]) + np.sum(columns**2)
    return total + np.sum(deep**3) + np.sum(deeper**2)


PROGRAMS = (
    *(stored, added_at, added_at_of_a_list_that_changes),
    *(reduced_system, solved_into_places, indexed),
    *(vectors_joined, numbers_joined, matrices_joined),
)


@pytest.mark.parametrize("count", [3, 9])
@pytest.mark.parametrize("function", PROGRAMS)
def test_derivatives(function, count):
    x = np.linspace(0.4, 1.1, 12)
    values = [0.3 + 0.1 * k for k in range(count)]
    check_grads(function, (x, values), wrt=(0,))
    want = grad(function)(x, values)
    np.testing.assert_allclose(grad(function, optimise=False)(x, values), want)


def test_rows_stored():
    check_grads(rows_stored, (np.linspace(0.4, 1.1, 12),))
