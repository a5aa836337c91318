"""Distinct places: what is known of indices, and the cotangents that follow."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from s2sad import grad, hvp, ir
from s2sad.analysis.memory.distinct_places import are_apart
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

X = np.arange(1.0, 10.0).reshape(3, 3)
V = np.array([2.0, -1.0, 0.5])


def _triangle(x, v):
    q = np.zeros_like(x)
    rows, columns = np.triu_indices(3, 1)
    q[rows, columns] = v * x[0]
    q[np.arange(3), np.arange(3)] = np.exp(v)
    return np.sum((q @ x) ** 2)


def _lower(x, v):
    q = x * 2.0
    places = np.tril_indices(3, -1)
    q[places] = v**2
    return np.sum(q**2 * x)


def _shifted(x, v):
    q = x[:, 0] * v
    k = np.arange(1, 3)
    q[k - 1] = v[k] ** 2
    return np.sum(q**3)


def _of_a_slice(x, v):
    q = x * 1.0
    k = np.arange(len(x))[1:]
    q[k, k - 1] = v[1:] * 3.0
    return np.sum(q**2)


def _in_order(x, v):
    q = np.zeros_like(v)
    order = np.argsort(-v)
    q[order] = v**2
    return np.sum(q * x[1])


def _of_a_mask(x, v):
    q = x * 1.0
    rows, columns = np.nonzero(x > 3.5)
    q[rows, columns] = v[0] * x[columns, rows]
    return np.sum(q**2)


DISTINCT = [_triangle, _lower, _shifted, _of_a_slice, _in_order, _of_a_mask]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", DISTINCT)
def test_distinct_places(function):
    text = grad(function, (0, 1)).source_for(X, V)
    assert "last_writes" not in text
    assert check_grads(function, (X, V), order=2).passed
    plain = grad(function, (0, 1), optimise={"scatters": False})
    assert "last_writes" in plain.source_for(X, V)
    assert_trees_close(grad(function, (0, 1))(X, V), plain(X, V), rtol=1e-12)
    product = hvp(function, 1)(X, V, V)
    assert_trees_close(product, hvp(function, 1, optimise=False)(X, V, V), rtol=1e-9)


def _counted_from_the_end(x, v):
    q = x[0] * 1.0
    q[np.arange(-3, 3)] = np.concatenate((v, v**2))
    return np.sum(q**2)


def _below_zero(x, v):
    q = x[0] * 1.0
    q[np.arange(4) - 1] = np.concatenate((v, v[:1] ** 2))
    return np.sum(q**2)


def _one_of_two_parts(x, v):
    q = x * 1.0
    rows, columns = np.triu_indices(3, 1)
    q[rows] = v
    q[rows, rows] = v
    return np.sum(q**2)


def _along_other_places(x, v):
    q = x * 1.0
    labels = np.array([[0, 1, 2], [0, 2, 1]])
    q[np.arange(3), labels] = np.stack((v, v**2))
    return np.sum(q**2)


def _one_number_along_others(x, v):
    q = x * 1.0
    q[np.arange(1), np.array([1, 1, 2])] = v
    return np.sum(q**2)


def _of_one_axis_of_an_order(x, v):
    q = x * 1.0
    q[np.argsort(x, axis=0)[0]] = v
    return np.sum(q**2)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function",
    [
        _counted_from_the_end,
        _below_zero,
        _one_of_two_parts,
        _along_other_places,
        _one_number_along_others,
        _of_one_axis_of_an_order,
    ],
)
def test_places_that_may_repeat(function):
    assert "last_writes" in grad(function, 1).source_for(X, V)
    assert check_grads(function, (X, V), order=2).passed


def test_reads_at_places_that_repeat_add_up():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    found = grad(lambda x: np.sum(x[np.arange(-2, 2)] * weights))(V[:2])
    assert_trees_close(found, np.array([4.0, 6.0]))
    labels = np.array([[0, 1, 2], [0, 1, 2]])
    weights = np.arange(6.0).reshape(2, 3)
    found = grad(lambda x: np.sum(x[np.arange(3), labels] * weights))(X)
    assert_trees_close(found, np.diag([3.0, 5.0, 7.0]))


def operand(part):
    if isinstance(part, tuple):
        return ir.pack_tuple(*map(operand, part))
    if not isinstance(part, slice):
        return ir.Const(part)
    ends = (part.start, part.stop, part.step)
    return ir.Slice(*(None if end is None else ir.Const(end) for end in ends))


PARTS = [
    *range(-3, 3),
    *(slice(a, b) for a in (None, -2, 0, 1, 2) for b in (None, -1, 0, 1, 3)),
    slice(None, None, 2),
    None,
    Ellipsis,
]
INDICES = [*PARTS, *itertools.product(PARTS[::3], PARTS[::4])]


def named(index, shape):
    touched = np.zeros(shape, dtype=bool)
    touched[index] = True
    return touched


@pytest.mark.parametrize("lengths", [(3, 3), (5, 4), (4, 7)])
def test_indices_that_are_apart_name_other_elements(lengths):
    found = 0
    for index, other in itertools.product(INDICES, repeat=2):
        if are_apart(operand(index), operand(other)):
            found += 1
            both = named(index, lengths) & named(other, lengths)
            assert not both.any(), (index, other)
    assert found > 1000


@pytest.mark.parametrize(
    ("index", "other"),
    [
        (0, 1),
        (-1, -2),
        (0, slice(1, None)),
        (slice(1, -1), -1),
        (slice(1, -1), 0),
        (slice(None, -1), -1),
        (slice(2, 4), slice(None, 2)),
        ((0, 1), (1, 1)),
        ((slice(None), 1), (slice(None), 2)),
    ],
)
def test_indices_that_are_known_to_be_apart(index, other):
    assert are_apart(operand(index), operand(other))
    assert are_apart(operand(other), operand(index))
