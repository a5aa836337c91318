"""Arrays of numbers that depend on a few others."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from s2sad import hessian, hvp, jacfwd, jacrev
from tests.support.finite_differences import assert_trees_close

OFF = {"preaccumulation": False}
X = np.array([0.3, -0.7, 1.1])


def turn(x, y, z):
    cx, sx, cy, sy = np.cos(x), np.sin(x), np.cos(y), np.sin(y)
    cz, sz = np.cos(z), np.sin(z)
    return np.array(
        [
            [cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
            [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
            [-sy, sx * cy, cx * cy],
        ]
    )


def rotated(x):
    return turn(*x) @ np.array([1.0, 2.0, 3.0]) * x[0]


def in_a_loop(x):
    total = np.eye(3)
    for k in range(3):
        total = total @ turn(x[k], x[0] * x[1], 0.5)
    return total


def read_elsewhere(x):
    a, b = x[0] * x[1], x[1] - 2.0 * x[2]
    c = 3.0 * a * b - (a - b)
    d = c * b * a - c
    return np.array([a, b * c, c, d * d - a]) * d, c + d


def of_python_numbers(x):
    a, b = float(x[0]), 2.0 - float(x[1])
    c = math.exp(a) * b - b * b * a
    return np.array([c * a, -(c - b), b * a * 2 - c, c * c * c * b])


def in_a_branch(x):
    a, b = x[0], x[1]
    if a > 0.0:
        b = b * a - b * a * a
        m = np.array([[a * b, b * b * a - a], [a * a * b * b, b]])
    else:
        m = np.array([[a, b], [b, -a]])
    return m @ m


PROGRAMS = [rotated, in_a_loop, read_elsewhere, of_python_numbers, in_a_branch]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", PROGRAMS)
def test_jacobians(program):
    found = jacfwd(program)(X)
    assert_trees_close(found, jacfwd(program, optimise=OFF)(X), rtol=1e-12, atol=1e-13)
    assert_trees_close(found, jacrev(program, optimise=False)(X), rtol=1e-9, atol=1e-12)
    again = jacfwd(jacfwd(program))(X)
    plain = jacfwd(jacrev(program, optimise=False), optimise=False)(X)
    assert_trees_close(again, plain, rtol=1e-9, atol=1e-11)


def energy(x):
    return np.sum(turn(*x) ** 3)


@pytest.mark.long
def test_second_derivatives():
    found, plain = hessian(energy)(X), hessian(energy, optimise=False)(X)
    np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(hvp(energy)(X, X), plain @ X, rtol=1e-9)


def test_the_text():
    text = jacfwd(rotated).source_for(X)
    assert re.search(r"linear_combinations\(\s*partials", text)
    assert "linear_combinations" not in jacfwd(rotated, optimise=OFF).source_for(X)
    # in other precisions the numbers would be rounded elsewhere
    assert "linear_combinations" not in jacfwd(rotated).source_for(X.astype("float32"))


def test_what_does_not_depend_stays_finite():
    """The tangent of one number is infinite, and not that of the others."""

    def slopes(x):
        logs = np.where(x > 0.0, np.log(np.abs(x)), x)
        a, b = logs[0], x[1]
        c = a * a * 2.0 - a * 3.0
        d = b * b - b * 3.0
        e = d * d * b - b
        return np.array([c * 2.0 - a, d, e, e * d * 2.0])

    x = np.array([5e-324, 2.0])
    with np.errstate(all="ignore"):
        found, plain = (jacfwd(slopes, optimise=off)(x) for off in ({}, OFF))
    assert "linear_combinations" in jacfwd(slopes).source_for(x)
    assert not np.all(np.isfinite(found[0]))
    np.testing.assert_allclose(found[1:], plain[1:])
    assert np.all(np.isfinite(found[1:]))
