"""Shapes are asked of variables that are there anyway."""

from __future__ import annotations

from s2sad.ir.kinds import INT
from s2sad.optimise.shapes import read_shapes_of_named
from tests.optimise.rewriting import after
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
