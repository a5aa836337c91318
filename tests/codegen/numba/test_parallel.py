"""Loops over prange: parallel where their turns are apart."""

import math

import numpy as np
import pytest

from s2sad import grad
from tests.codegen.numba.comparing import assert_same

numba = pytest.importorskip("numba")


def rows(w, x, k):
    out = np.zeros(x.shape[0])
    for i in numba.prange(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j] * w[j]
        out[i] = math.tanh(s * k)
    total = 0.0
    for i in numba.prange(x.shape[0]):
        total += out[i] ** 2
    return total


def shifted(x):
    y = np.zeros(x.shape[0] + 1)
    for i in numba.prange(x.shape[0]):
        y[i + 1] = x[i] ** 3
    total = 0.0
    for i in range(x.shape[0]):
        total += y[i] * y[i + 1]
    return total


W, X = np.linspace(-1.0, 1.0, 3), np.linspace(0.0, 1.0, 12).reshape(4, 3)


@pytest.mark.long
def test_turns_that_are_apart_stay_parallel():
    options = {"parallel": True}
    gradient = grad(rows, ("x", "k"), backend="numba", options=options)
    assert gradient.source_for(W, X, 0.7).count("numba.prange(") >= 3
    assert_same(gradient(W, X, 0.7), grad(rows, ("x", "k"))(W, X, 0.7))


@pytest.mark.long
def test_turns_that_add_to_the_same_run_one_after_the_other():
    text = grad(rows, "w", backend="numba").source_for(W, X, 0.7)
    assert "prange(" not in text.replace("# for i in numba.prange(", "")
    options = {"parallel": True}
    gradient = grad(rows, "w", backend="numba", options=options)
    adding = gradient.source_for(W, X, 0.7).split("w_bar = np.zeros_like(w)")[1]
    assert "prange(" not in adding
    assert_same(gradient(W, X, 0.7), grad(rows, "w")(W, X, 0.7))


def test_other_places_than_the_turns_own():
    gradient = grad(shifted, backend="numba", options={"parallel": True})
    x = np.linspace(0.5, 1.5, 6)
    assert_same(gradient(x), grad(shifted)(x))
