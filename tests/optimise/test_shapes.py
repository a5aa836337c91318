"""Shapes are asked of variables that are there anyway."""

from __future__ import annotations

import numpy as np

from s2sad import grad, vjp
from s2sad.analysis.passes.shapes import read_shapes_of_named
from s2sad.ir.kinds import INT
from s2sad.testing import check_grads
from tests.optimise.rewriting import after
from tests.support.finite_differences import assert_trees_close
from tests.support.ir_text import matrix, vector

KINDS = {
    "x": matrix("n", "m"),
    "residual": matrix("n", "m"),
    "_t": matrix("n", "m"),
    "zeros": matrix("n", "m"),
    "v": vector("n"),
    "_row": vector("n"),
    "_other": vector("p"),
    "k": INT,
}


def shaped(*lines, parameters="a"):
    text = "\n".join([f"def f({parameters}):", *(f"    {line}" for line in lines)])
    return after(read_shapes_of_named, text, KINDS)


def test_the_size_of_a_temporary():
    lines = shaped(
        "residual = a * 2.0", "_t = residual * residual", "k = np.size(_t)", "return k"
    )
    assert lines[-2] == "k = size(residual)"


def test_the_axis_of_a_temporary_is_that_of_a_parameter():
    lines = shaped("_t = x * 2.0", "k = axis_length(_t, 1)", "return k", parameters="x")
    assert lines[-2] == "k = axis_length(x, 1)"


def test_zeros_keep_the_dtype():
    lines = shaped(
        "residual = a * 2.0",
        "_t = residual * 3.0",
        "zeros = np.zeros_like(_t)",
        "return zeros",
    )
    assert lines[-2] == "zeros = zeros_like(residual)"


def test_other_shapes_are_left():
    lines = shaped(
        "_other = a * x", "k = np.size(_other)", "return k", parameters="a, x"
    )
    assert lines[-2] == "k = size(_other)"


def test_zeros_are_made_like_a_parameter():
    """Zeros are made like a parameter of the same shape and dtype; there is none where
    the array is of another length in each turn, or of another dtype."""

    def same(x, y, n):
        total = 0.0
        for _ in range(n):
            made = np.zeros(len(x))
            for i in range(len(x)):
                made[i] = x[i] * y
            for i in range(len(x)):
                total = total + made[i] * y
        return total

    def longer(x, y, n):
        total = 0.0
        for k in range(n):
            made = np.zeros(len(x) + k)
            for i in range(len(x)):
                made[i + k] = x[i] * y
            for i in range(len(x)):
                total = total + made[i + k] * y
        return total

    x = np.array([0.3, -0.5, 0.7])
    text = grad(same).source_for(x, 0.5, 2)
    assert text.count("np.zeros_like(x)") == 2
    assert "made_saved.append(made)" not in text
    assert grad(longer).source_for(x, 0.5, 2).count("np.zeros_like(x)") == 1
    for function in (same, longer):
        assert check_grads(function, (x, 0.5, 2), wrt=(0, 1)).passed
        single = grad(function)(x.astype("float32"), 0.5, 2)
        assert single.dtype == "float32"
        np.testing.assert_allclose(single, grad(function)(x, 0.5, 2), rtol=1e-6)


def recurrence(x, n):
    y = np.zeros_like(x)
    for _ in range(n):
        middle = y + np.sin(x * y)
        y = y + x * np.concatenate((np.ones(1), middle[:-1]))
    return np.sum(y)


def test_what_is_kept_for_its_shape_alone_is_not_kept():
    x = np.linspace(0.1, 1.0, 4)
    text = grad(recurrence).source_for(x, 3)
    assert "middle_bar = np.zeros_like(x)" in text and "middle_saved" not in text
    off = grad(recurrence, optimise={"shapes": False})
    assert "middle_saved" in off.source_for(x, 3)
    assert_trees_close(grad(recurrence)(x, 3), off(x, 3), rtol=1e-14)
    assert check_grads(recurrence, (x, 3), order=2).passed
    value, pullback = vjp(recurrence, x, 3)
    assert_trees_close(pullback(1.0)[0], off(x, 3), rtol=1e-14)
    for length in (0, 1):
        assert grad(recurrence)(x[:length], 3).shape == (length,)


def growing(x, n):
    y = x
    for _ in range(n):
        y = np.concatenate((y[1:] * y[:-1], x))
    return np.sum(np.sin(y))


def test_arrays_that_grow_have_their_own_shape():
    x = np.linspace(0.1, 1.0, 3)
    assert check_grads(growing, (x, 3), order=2).passed
    off = grad(growing, optimise={"shapes": False})
    assert_trees_close(grad(growing)(x, 3), off(x, 3), rtol=1e-14)
