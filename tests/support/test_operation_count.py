"""Exact counts of small functions, and values equal to uncounted execution."""

import math

import numpy as np
import pytest

from tests.support.operation_count import (
    OperationCount,
    count_operations,
    run_counted,
)

A = np.arange(6.0).reshape(2, 3) + 1.0
V = np.array([0.5, 1.5, 2.5])


def in_loop(x, n):
    for i in range(n):
        x = x + 2 * i * np.sin(x)
    return x


def taken_by_element(v):
    total = 0.0
    for k in range(len(v)):
        total += v[k] * v[k]
    for element in v:
        total -= element
    return total


def written_by_element(v):
    out = np.zeros(3)
    for k in range(3):
        out[k] += 2.0 * v[k]
    return out[0] * out[1]


def in_place(a):
    b = a.copy()
    b += 1.0
    b[0] *= 2.0
    return b


CASES = {
    "scalar operators": (lambda x, y: -x * y + 2.0 / x - 1, (2.0, 3.0), (5, 0, 5)),
    "reflected": (lambda x: 1 - 2 / (3 + x), (2.0,), (3, 0, 3)),
    "power": (lambda x: 2.0**x + x**2, (2.0,), (3, 0, 3)),
    "comparison": (lambda x: x if x > 1.0 else 2 * x, (0.5,), (1, 0, 1)),
    "builtins": (lambda x: abs(max(x, 1.0)) + sum([x, x]), (-2.0,), (3, 0, 3)),
    "float of": (lambda x: float(x) * x, (2.0,), (1, 0, 1)),
    "math": (lambda x: math.exp(x) * math.sqrt(2.0), (2.0,), (2, 0, 2)),
    "ufunc of scalar": (lambda x: np.exp(x) * np.pi, (2.0,), (2, 0, 2)),
    "constant first": (lambda x: np.sqrt(2.0) * x, (2.0,), (1, 0, 1)),
    "loop": (in_loop, (1.0, 3), (9, 0, 9)),
    "complex": (lambda z: abs(z * z), (1.0 + 2.0j,), (2, 0, 2)),
    "float32": (lambda x: x * x + 1.0, (np.float32(3.0),), (2, 0, 2)),
    "elementwise": (lambda a: np.exp(-a) * 2.0, (A,), (0, 18, 3)),
    "broadcast": (lambda a, v: a + v, (A, V), (0, 6, 1)),
    "scalar with array": (lambda x, a: x * a, (2.0, A), (0, 6, 1)),
    "sum": (lambda a: np.sum(a) * a.sum(), (A,), (1, 12, 3)),
    "mean": (lambda a: a.mean(axis=0) + np.mean(a), (A,), (0, 9 + 7 + 3, 3)),
    "var": (lambda a: a.var(axis=0), (A,), (0, 30, 1)),
    "max": (lambda a: np.maximum(a, 2.0).max(), (A,), (0, 12, 2)),
    "matmul": (lambda a, v: a @ v, (A, V), (0, 12, 1)),
    "matmul of matrices": (lambda a: a @ a.T, (A,), (0, 24, 1)),
    "inner": (lambda v: np.dot(v, v) + v @ v, (V,), (1, 12, 3)),
    "outer": (lambda v: np.outer(v, v), (V,), (0, 9, 1)),
    "einsum": (lambda a: np.einsum("ij,kj->ik", a, a), (A,), (0, 24, 1)),
    "moves": (lambda a: np.stack([a, np.zeros_like(a)]).T[0][:, None], (A,), (0, 0, 0)),
    "mask": (lambda a: np.where(a > 2.0, a, 0.0), (A,), (0, 6, 1)),
    "boolean sum": (lambda a: np.sum(a > 2.0) * 2, (A,), (0, 0, 0)),
    "integers": (lambda k: np.sum(k * k) + k[0], (np.arange(3),), (0, 0, 0)),
    "elements": (taken_by_element, (V,), (9, 0, 9)),
    "element writes": (written_by_element, (V,), (7, 0, 7)),
    "in place": (in_place, (A,), (0, 9, 2)),
    "labels": (lambda a: a[np.arange(2), np.array([0, 2])] * 2.0, (A,), (0, 2, 1)),
    "structures": (
        lambda p: p["w"] * p["b"][0],
        ({"w": V, "b": (2.0, "name")},),
        (0, 3, 1),
    ),
    "solve": (lambda a: np.linalg.solve(a @ a.T, a), (A,), (0, 24 + 5 + 24, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_exact_count(name):
    function, args, expected = CASES[name]
    assert count_operations(function, args) == OperationCount(*expected)


@pytest.mark.parametrize("name", CASES)
def test_value_is_that_of_uncounted_execution(name):
    function, args, _ = CASES[name]
    value, _ = run_counted(function, args)
    expected = function(*args)
    assert type(value) is type(expected)
    np.testing.assert_array_equal(value, expected, strict=True)


def test_total():
    assert OperationCount(scalar=2, array_elements=30, calls=4).total == 32


def test_add_at_counts_what_is_added():
    def scatter(v):
        out = np.zeros_like(v)
        np.add.at(out, np.array([0, 0, 1, 2]), np.ones(4))
        return out

    value, count = run_counted(scatter, (V,))
    np.testing.assert_array_equal(value, [2.0, 1.0, 1.0])
    assert count == OperationCount(0, 4, 1)


def test_writes_reach_the_given_arrays():
    a = A.copy()

    def double(a):
        a *= 2.0

    count_operations(double, (a,))
    np.testing.assert_array_equal(a, 2.0 * A)


def test_float32_stays_float32():
    value, _ = run_counted(lambda x, a: x * a + 1.0, (0.5, np.ones(2, np.float32)))
    assert value.dtype == np.float32


def test_unknown_cost_is_refused_and_modules_are_restored():
    zeros, sin = np.zeros, math.sin
    with pytest.raises(NotImplementedError, match="numpy.linalg.svd"):
        count_operations(np.linalg.svd, (A,))
    assert np.zeros is zeros and math.sin is sin


def test_errors_of_python_floats_are_kept():
    with pytest.raises(ZeroDivisionError):
        count_operations(lambda x: 1.0 / x, (0.0,))
