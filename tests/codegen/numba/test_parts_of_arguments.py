"""What structures hold enters the core as parameters, whatever it is called; so do the
cotangents of results that are structures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from s2sad import differentiate, grad, value_and_grad, vjp
from tests.codegen.numba.comparing import assert_same
from tests.support.numba_text import run_as_python

numba = pytest.importorskip("numba")


class Pair(NamedTuple):
    s: float
    v: np.ndarray


def two(x):
    return x * x, np.sum(x)


def nested(x):
    return (x * x, (np.sum(x), x[0])), 2.0 * x


def in_dict(x):
    return {"a": x * x, "class": (np.sum(x), x[:1]), "my key": 1.0}


def pair(x):
    return Pair(np.sum(x), x * x)


ONES = np.ones(2)
RESULTS = [
    (two, (2.0 * ONES, 3.0)),
    (nested, ((ONES, (3.0, 4.0)), 5.0 * ONES)),
    (in_dict, {"a": ONES, "class": (2.0, np.ones(1)), "my key": 0.0}),
    (pair, Pair(3.0, ONES)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("function", "cotangent"), RESULTS)
def test_cotangents_of_structures(function, cotangent):
    x = np.array([1.0, 2.0])
    with run_as_python():
        found = value_and_grad(function, backend="numba")(x, gradient=cotangent)
        value, pullback = vjp(function, x, backend="numba")
        bars = pullback(cotangent)
    wanted = value_and_grad(function)(x, gradient=cotangent)
    assert_same(found, wanted)
    assert_same(value, wanted[0])
    assert_same(bars, (wanted[1],))


def test_a_tuple_under_njit():
    compiled = differentiate(numba.njit(two))
    x = np.array([1.0, 2.0])
    wanted = np.array([3.0, 5.0])
    np.testing.assert_array_equal(compiled.grad(x, gradient=(ONES, 1.0)), wanted)
    np.testing.assert_array_equal(
        grad(numba.njit(two))(x, gradient=(ONES, 1.0)), wanted
    )


def test_keys_that_are_no_names():
    def energy(p):
        return np.sum(p["w"] * p["w.1"] * p["gradient_0.1"] * p["my key"] * p["class"])

    keys = ("w", "w.1", "gradient_0.1", "my key", "class")
    p = {key: np.array([1.0, 2.0]) + k for k, key in enumerate(keys)}
    with run_as_python():
        assert_same(grad(energy, backend="numba")(p), grad(energy)(p))
