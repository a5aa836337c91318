"""What is computed from arrays of a module that lie by columns lies so, too: ``ravel``
and ``reshape`` of it copy."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from s2sad import UnsupportedError, value_and_grad
from s2sad.testing import check_gradient

M = np.array([[0.3, 0.9, 0.55], [1.3, 0.77, 0.12]])
BY_ROWS = M + 1.0
BY_COLUMNS = np.asfortranarray(M + 1.0)
PART = np.linspace(0.1, 2.0, 20).reshape(4, 5)[::2, 1:4]
DEEP = np.asfortranarray(np.linspace(0.1, 2.0, 12).reshape(2, 2, 3))
TABLES = {"one": BY_COLUMNS, "pair": [BY_ROWS, BY_COLUMNS]}


class Layer:
    weight = BY_COLUMNS

    def __init__(self):
        self.own = BY_COLUMNS


LAYER = Layer()


def closed_over():
    inner = np.asfortranarray(M)
    return lambda x: inner * x[0, 0]


MAKERS = {
    "times a number": lambda x: BY_COLUMNS * 2.0,
    "times what varies": lambda x: BY_COLUMNS * x[0, 0],
    "times a row": lambda x: BY_COLUMNS * x[0],
    "plus a number": lambda x: 1.0 + BY_COLUMNS,
    "negative": lambda x: -BY_COLUMNS,
    "a function of elements": lambda x: np.exp(BY_COLUMNS),
    "array": lambda x: np.array(BY_COLUMNS),
    "copy": lambda x: np.copy(BY_COLUMNS),
    "its own copy": lambda x: BY_COLUMNS.copy(),
    "astype": lambda x: BY_COLUMNS.astype(float),
    "zeros_like": lambda x: np.zeros_like(BY_COLUMNS),
    "full_like": lambda x: np.full_like(BY_COLUMNS, x[0, 0]),
    "full_like of rows": lambda x: np.full_like(BY_COLUMNS, x),
    "with what lies by rows": lambda x: BY_COLUMNS + x,
    "with both": lambda x: BY_COLUMNS * BY_ROWS,
    "where": lambda x: np.where(BY_COLUMNS > 1.5, BY_COLUMNS, x[0, 0]),
    "joined": lambda x: np.concatenate((BY_COLUMNS, BY_COLUMNS)),
    "by rows": lambda x: BY_ROWS * x[0, 0],
    "a part": lambda x: PART * x[0, 0],
    "deep": lambda x: DEEP * x[0],
    "deep with rows": lambda x: DEEP * x,
    "of a class": lambda x: Layer.weight * 2.0,
    "of an object": lambda x: LAYER.own * 2.0,
    "of a dict": lambda x: TABLES["one"] * 2.0,
    "of a list": lambda x: TABLES["pair"][1] * 2.0,
    "closed over": closed_over(),
}


def weighted(q):
    return np.sum(q**2 * np.arange(1.0, q.size + 1).reshape(q.shape))


def ravelled(make):
    def program(x):
        y = make(x)
        f = y.ravel()
        f[1] = 3.0 * x[0, 0]
        return weighted(y) + weighted(f)

    return program


def written_before(make):
    def program(x):
        y = make(x)
        f = y.reshape(-1)
        y[0, 1] = 3.0 * x[0, 0]
        return weighted(y) + weighted(f)

    return program


def transposed(make):
    def program(x):
        y = make(x)
        f = y.T.ravel()
        f[1] = 3.0 * x[0, 0]
        return weighted(y) + weighted(f)

    return program


def reshaped(make):
    def program(x):
        y = make(x)
        f = y.reshape(-1, 1)
        f[1] = 3.0 * x[0, 0]
        return weighted(y) + weighted(f)

    return program


UNKNOWN = ("where", "joined", "deep with rows")
"""Refused, or right: the order isn't followed through comparisons, where lengths add
up, and where rows and columns have other axes."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize("use", [ravelled, written_before, transposed, reshaped])
@pytest.mark.parametrize("name", MAKERS)
def test_a_write_is_seen_where_numpy_shows_it(name, use):
    program = use(MAKERS[name])
    lies_by_rows = MAKERS[name](M).flags.c_contiguous
    if name in UNKNOWN or (use is reshaped and not lies_by_rows):
        with contextlib.suppress(UnsupportedError):
            assert value_and_grad(program)(M)[0] == pytest.approx(program(M))
        return
    for optimise in (True, False):
        value, _ = value_and_grad(program, optimise=optimise)(M)
        assert value == pytest.approx(program(M))
    assert check_gradient(program, M).passed


def test_rows_of_a_module_are_followed_as_before():
    assert check_gradient(reshaped(MAKERS["by rows"]), M).passed
    assert check_gradient(reshaped(MAKERS["a part"]), M).passed


@pytest.mark.parametrize("name", ["of a class", "of a dict"])
def test_another_order_is_compiled_anew(name, monkeypatch):
    program = ravelled(MAKERS[name])
    monkeypatch.setattr(Layer, "weight", BY_ROWS)
    derivative = value_and_grad(program)
    for table in (BY_ROWS, BY_COLUMNS, BY_ROWS):
        Layer.weight = table
        monkeypatch.setitem(TABLES, "one", table)
        assert derivative(M)[0] == pytest.approx(program(M))
