"""Sums of products along an axis become contractions."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

GENERATOR = np.random.default_rng(0)
ROW, COLUMN = GENERATOR.normal(size=(1, 3)), GENERATOR.normal(size=(4, 1))
MATRIX, VECTOR = GENERATOR.normal(size=(4, 3)), GENERATOR.normal(size=3)
SQUARE = GENERATOR.normal(size=(3, 3))

CASES = {
    "a row and a column": (
        lambda row, column: np.sum(np.sin(row * column)),
        (ROW, COLUMN),
        ("row_bar = column.T @", "column_bar = product_bar @ row.T"),
    ),
    "a vector on both sides": (
        lambda w: np.sum(np.sin(w[:, None] * w)),
        (VECTOR,),
        ("w_bar = w @ product_bar", "w_bar += product_bar @ w"),
    ),
    "vectors spread out": (
        lambda w, v: np.sum(np.sin(np.expand_dims(w, 1) * v[None, :])),
        (VECTOR, ROW[0]),
        ("v_bar = w @ product_bar", "w_bar = product_bar @ v"),
    ),
    "a number before it": (
        lambda row, column: np.sum(np.cos(-0.5 * (row * column))),
        (ROW, COLUMN),
        ("@ row.T", "column.T @"),
    ),
    "a quotient": (
        lambda row, column: np.sum(np.sin(row / column)),
        (ROW, np.exp(COLUMN)),
        ("np.sum(", "keepdims=True"),
    ),
    "a row of one": (
        lambda row, column: np.sum(np.sin(row * column)),
        (ROW[:, :1], COLUMN),
        ("row_bar = column.T @",),
    ),
    "rows of unknown length": (
        lambda w, x: np.sum(np.sin(w[:, None] * x[:, 1:])),
        (VECTOR, SQUARE),
        (),
    ),
    "batches": (
        lambda row, x: np.sum(np.sin(row * x)),
        (ROW, GENERATOR.normal(size=(2, 4, 3))),
        ("np.sum(",),
    ),
    "rows of two matrices": (
        lambda w, x: np.sum(np.sin(np.sum(w[:, None] * x, axis=1)) * w),
        (VECTOR, SQUARE),
        (),
    ),
    "a matrix and a batch": (
        lambda w, x: np.sum(np.sin(w[:, :, None] * x)),
        (MATRIX, GENERATOR.normal(size=(4, 3, 2))),
        ('np.einsum("ijk,ijk->ij", product_bar, x)',),
    ),
    "axes between": (
        lambda w, x: np.sum(np.sin(np.expand_dims(w, 1) * x)),
        (GENERATOR.normal(size=(4, 2)), GENERATOR.normal(size=(4, 3, 2))),
        ('np.einsum("ijk,ijk->ik", product_bar, x)',),
    ),
    "kept axes": (
        lambda w, x: np.sum(np.sin(w / np.sqrt(np.sum(x**2, axis=1, keepdims=True)))),
        (MATRIX, MATRIX + 2.0),
        ("np.einsum(",),
    ),
    "three factors": (
        lambda w, v, x: np.sum(np.exp(w * v * x)),
        (VECTOR, VECTOR + 1.0, MATRIX),
        ("np.einsum(",),
    ),
    "axes of one in both": (
        lambda w, x: np.sum(np.sin(w * x)),
        (GENERATOR.normal(size=(1, 3, 2)), GENERATOR.normal(size=(1, 1, 2))),
        (),
    ),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_gradients_and_their_text(case):
    function, arguments, lines = case
    wrt = tuple(range(len(arguments)))
    assert check_grads(function, arguments, wrt=wrt, order=2).passed
    found = grad(function, wrt)
    for off in (False, {"contractions": False}):
        plain = grad(function, wrt, optimise=off)(*arguments)
        assert_trees_close(found(*arguments), plain, rtol=1e-12, atol=1e-14)
    text = found.source_for(*arguments)
    for line in lines:
        assert line in text
    assert all(bar.base is None for bar in found(*arguments))
    single = tuple(a.astype("float32") for a in arguments)
    for bar, own in zip(found(*single), single, strict=True):
        assert bar.dtype == np.float32 and bar.shape == own.shape
    product = hvp(function)(*arguments, np.ones_like(arguments[0]))
    other = hvp(function, optimise=False)(*arguments, np.ones_like(arguments[0]))
    assert_trees_close(product, other, rtol=1e-10, atol=1e-12)


def test_mixed_precision_stays_a_sum():
    """The product of two matrices of different dtypes would be taken in another one."""
    function = CASES["a row and a column"][0]
    arguments = ROW.astype("float32"), COLUMN
    found = grad(function, (0, 1))
    row_bar, column_bar = found(*arguments)
    assert row_bar.dtype == np.float32 and column_bar.dtype == np.float64
    plain = grad(function, (0, 1), optimise=False)(*arguments)
    assert_trees_close((row_bar, column_bar), plain, rtol=1e-6, atol=1e-6)


def test_empty_arrays():
    function = CASES["a row and a column"][0]
    bars = grad(function, (0, 1))(np.ones((1, 0)), COLUMN)
    assert_trees_close(bars, (np.ones((1, 0)), np.zeros((4, 1))))
