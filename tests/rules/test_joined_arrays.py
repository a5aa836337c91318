"""Cotangents of joined arrays: each part has the shape of its array."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, vjp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

GENERATOR = np.random.default_rng(0)


def of_shapes(*shapes):
    return tuple(GENERATOR.normal(size=shape) for shape in shapes)


CASES = {
    "vectors": (np.concatenate, {}, of_shapes(3, 1, 2)),
    "one of two": (np.concatenate, {}, of_shapes(3, 2)),
    "one alone": (np.concatenate, {}, of_shapes(3)),
    "an empty one": (np.concatenate, {}, of_shapes(0, 3, 0)),
    "rows": (np.concatenate, {"axis": 0}, of_shapes((1, 2), (3, 2), (2, 2))),
    "columns": (np.concatenate, {"axis": 1}, of_shapes((2, 1), (2, 3))),
    "the last axis": (np.concatenate, {"axis": -1}, of_shapes((2, 2, 1), (2, 2, 3))),
    "flat": (np.concatenate, {"axis": None}, of_shapes((2, 1), 3)),
    "hstack of vectors": (np.hstack, {}, of_shapes(3, 2)),
    "hstack of matrices": (np.hstack, {}, of_shapes((2, 1), (2, 3), (2, 2))),
    "vstack": (np.vstack, {}, of_shapes(3, (2, 3), 3)),
    "column_stack": (np.column_stack, {}, of_shapes(3, (3, 2), 3)),
    "stack": (np.stack, {"axis": 1}, of_shapes(3, 3)),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_gradients(case):
    function, words, arrays = case

    def joined(parts):
        return np.sum(np.sin(function(parts, **words)))

    assert check_grads(joined, (arrays,), order=2).passed
    found = grad(joined)
    bars = found(arrays)
    assert_trees_close(bars, tuple(map(np.cos, arrays)), rtol=1e-14)
    assert_trees_close(vjp(joined, arrays)[1](1.0)[0], bars, rtol=1e-14)
    for bar, array in zip(bars, arrays, strict=True):
        assert bar.shape == array.shape and bar.base is None
    text = found.source_for(arrays)
    assert "broadcast_to" not in text and "None:" not in text


def test_the_text_reads_as_slices():
    def joined(a, b):
        return np.sum(np.sin(np.concatenate((a, b))))

    text = grad(joined, (0, 1)).source_for(np.ones(3), np.ones(2))
    assert "a_bar = concatenate_bar[:stop]" in text
    assert "b_bar = concatenate_bar[stop:]" in text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_arrays_whose_rank_is_not_known_are_stacked(axis):
    def stacked(a, b, deep):
        y = a
        if deep:
            y = np.stack((a, b, a), axis) * 0.5
            b = y + 1.0
        return np.sum(np.sin(np.stack((y, b * b, y), axis=axis)))

    def check(deep):
        a, b = of_shapes((2, 3), (2, 3))
        return check_grads(lambda a, b: stacked(a, b, deep), (a, b), order=2).passed

    assert check(True) and check(False)
    assert "moveaxis" in grad(stacked).source or axis == 0
